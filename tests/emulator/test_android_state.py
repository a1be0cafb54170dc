"""What Android's dumps say, in the forms of Android 10 to 14."""

from __future__ import annotations

from emulator import android_state as state
from emulator.device import Foreground, Size

APP = "  mFocusedApp=ActivityRecord{1b2 u0 com.a/.Main t12}\n"


def test_focus_of_an_app() -> None:
    dump = "  mCurrentFocus=Window{ab12 u0 com.a/com.a.ui.Main}\n" + APP
    assert state.foreground(dump) == Foreground("com.a", "com.a.ui.Main")


def test_short_class_names_are_completed() -> None:
    assert state.foreground("mCurrentFocus=Window{ab u0 com.a/.Main}") == Foreground("com.a", "com.a.Main")


def test_windows_of_the_system() -> None:
    shade = "  mCurrentFocus=Window{9f u0 NotificationShade}\n" + APP
    assert state.foreground(shade) == Foreground("com.android.systemui", "")
    stuck = "  mCurrentFocus=Window{9f u0 Application Not Responding: com.a}\n" + APP
    assert state.foreground(stuck) == Foreground("android", "")


def test_a_popup_belongs_to_the_app_in_focus() -> None:
    dump = "  mCurrentFocus=Window{9f u0 PopupWindow:7ac41}\n" + APP
    assert state.foreground(dump) == Foreground("com.a", "com.a.Main")


def test_no_focus_is_none() -> None:
    assert state.foreground("  mCurrentFocus=null\n" + APP) is None
    assert state.foreground("") is None


def test_displays_of_a_foldable() -> None:
    viewport = (
        "DisplayViewport{{type=INTERNAL, valid=true, isActive={on}, displayId={n}, uniqueId='local:{id}', "
        "physicalPort=0, orientation={turn}, logicalFrame=Rect(0, 0 - {w}, {h}), physicalFrame=Rect(0, 0 - {w}, {h}), "
        "deviceWidth={w}, deviceHeight={h}}}"
    )
    off = viewport.format(on="false", n=0, id=11, turn=0, w=1080, h=2092)
    on = viewport.format(on="true", n=3, id=22, turn=1, w=2208, h=1840)
    found = state.displays(f"  mViewports=[{off}, {on}]\n")
    assert [d.physical for d in found] == ["11", "22"]
    main = state.main_display(found)
    assert main is not None and (main.physical, main.size, main.rotation) == ("22", Size(2208, 1840), 1)


def test_display_of_android_9() -> None:
    dump = (
        "mDefaultViewport=DisplayViewport{valid=true, displayId=0, orientation=1, "
        "logicalFrame=Rect(0, 0 - 2400, 1080), physicalFrame=Rect(0, 0 - 2400, 1080)}"
    )
    main = state.main_display(state.displays(dump))
    assert main is not None and main.size == (2400, 1080) and main.active


def test_no_display_is_none() -> None:
    assert state.main_display(state.displays("DisplayViewport{valid=false, displayId=0}")) is None


def test_secure_windows() -> None:
    dump = (
        "  Window #0 Window{a1 u0 StatusBar}:\n    mAttrs={(0,0)(fillx84) ty=STATUS_BAR\n      fl=NOT_FOCUSABLE\n"
        "  Window #1 Window{b2 u0 com.bank/.Login}:\n    mAttrs={(0,0)(fillxfill) ty=BASE_APPLICATION\n"
        "      fl=LAYOUT_IN_SCREEN SECURE SPLIT_TOUCH\n      pfl=FORCE_DRAW\n"
        "  mCurrentFocus=Window{b2 u0 com.bank/.Login}\n"
    )
    assert state.focus_is_secure(dump) is True
    assert state.focus_is_secure(dump.replace("b2 u0 com.bank/.Login}\n", "a1 u0 StatusBar}\n")) is False
    assert state.focus_is_secure("mCurrentFocus=null") is None


def test_keyboard_shown() -> None:
    assert state.keyboard_shown("  mShowRequested=true mInputShown=true\n") is True
    assert state.keyboard_shown("  mInputShown=false\n mIsInputViewShown=false") is False
    assert state.keyboard_shown("") is None
