"""Chrome's first run: terms, sync, notifications. It comes again after `pm clear`, which AndroidWorld's tasks do."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from emulator.pocket.app import Screen
from emulator.pocket.parts import page
from emulator.pocket.views import FILL, View
from emulator.pocket.widgets import button, checkbox, column, icon, row, spacer, text

PACKAGE = "com.android.chrome"
FIRST_RUN = "org.chromium.chrome.browser.firstrun.FirstRunActivity"
DONE = "first_run_flow_complete"
HELP = "Help make Chrome better by sending usage statistics and crash reports to Google"
REPORTS = "metrics_reporting"
NOTIFICATIONS = "android.permission.POST_NOTIFICATIONS"
TERMS = (
    "By continuing, you agree to Google\u2019s Terms of Service, and Google Chrome and ChromeOS Additional Terms of "
    "Service."
)
SYNC = ("Turn on sync?", "Your bookmarks, passwords, history, and more on all your devices", "No thanks", "Add account")
NOTIFY = ("Chrome notifications make things easier", "Get updates about your downloads, media and pages", "No thanks",
          "Continue")  # fmt: skip


@dataclass
class FirstRun(Screen):
    """One step after the other; finishes with True at the end, with nothing by BACK."""

    activity: ClassVar[str] = FIRST_RUN

    step: int = 0
    reports: bool = True

    def build(self) -> View:
        """Terms, or one of the two questions."""
        if self.step == 0:
            return self._terms()
        return self._question(*(SYNC if self.step == 1 else NOTIFY))

    def _terms(self) -> View:
        box = checkbox(self.reports, partial(self.set, "reports", not self.reports), id="send_report_checkbox",
                       label=HELP)  # fmt: skip
        box.width, box.size, box.height = FILL, 13, 56
        return page(
            self._head("Welcome to Chrome", "globe"), text(TERMS, size=13, color="text_dim", align="center", width=FILL,
                                                         padding=(24, 8, 24, 16), id="tos_and_privacy"),
            column(box, padding=(24, 0, 24, 16)),
            column(button("Accept & continue", self.accept, id="terms_accept", width=FILL), padding=(24, 0, 24, 32)),
        )  # fmt: skip

    def _question(self, title: str, words: str, no: str, yes: str) -> View:
        name = "refresh" if self.step == 1 else "bell"
        buttons = row(button(no, self.next, style="text", id="negative_button"), spacer(weight=1),
                      button(yes, self.agree, id="positive_button"), padding=(16, 0, 24, 24))  # fmt: skip
        said = text(words, color="text_dim", align="center", width=FILL, padding=(32, 0, 32, 16))
        return page(self._head(title, name), said, spacer(weight=0.6), buttons)

    @staticmethod
    def _head(title: str, name: str) -> View:
        said = text(title, size=26, align="center", width=FILL, padding=(24, 0, 24, 0), id="title")
        return column(icon(name, size=88, color="primary"), said, align="center", justify="center", gap=24, weight=1,
                      height=FILL, padding=(0, 0, 0, 16))  # fmt: skip

    def accept(self) -> None:
        """The terms."""
        self.phone.prefs(PACKAGE).set(REPORTS, self.reports)
        self.next()

    def agree(self) -> None:
        """The button at the right: there is no account to add, the system asks about notifications."""
        if self.step == 1:
            self.toast("Couldn\u2019t sign in")
        else:
            self.need(NOTIFICATIONS, "notify")

    def on_result(self, key: str, value: object) -> None:
        """The system's question is answered."""
        self.next()

    def next(self) -> None:
        """On; the last question only where notifications are not allowed yet."""
        self.step += 1
        if self.step > 2 or (self.step == 2 and NOTIFICATIONS in self.phone.packages[PACKAGE].granted):
            self.phone.prefs(PACKAGE).set(DONE, True)
            self.finish(True)
