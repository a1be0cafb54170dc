"""App names for people and the packages behind them; which installed package a name means.

A name is compared whole (case, blanks and punctuation apart), never by its beginning: AndroidWorld's prefix match
opens WhatsApp for "Waze" (env/adb_utils.py @d9c569f). Order: an installed package's own name; the labels the phone
tells, if it does; the table; a spelling mistake, if exactly one installed app is near. Anything else is AppNotFound.
Packages are facts from AndroidWorld's setup, Google's and the vendors' public listings; several packages in a line are
tried in order, since systems differ (Google's app first, then AOSP's).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from emulator.device_errors import AppNotFound

NEAR = 88.0  # rapidfuzz ratio (0..100) from which two names count as one spelled wrong
SHORTEST_FUZZY = 5
PACKAGE = re.compile(r"[A-Za-z]\w*(\.\w+)+")


@dataclass(frozen=True)
class AppName:
    """One app. names: as people write them, the usual first. packages: tried in this order."""

    names: tuple[str, ...]
    packages: tuple[str, ...]


def _app(names: str, packages: str) -> AppName:
    return AppName(tuple(names.split("|")), tuple(packages.split()))


NAMES: tuple[AppName, ...] = (
    # the system's
    _app("Settings|System settings|设置", "com.android.settings"),
    _app("Chrome|Google Chrome|Browser|Web browser", "com.android.chrome org.chromium.webview_shell"),
    _app("Clock|Google Clock|Alarm|Timer|Stopwatch|时钟", "com.google.android.deskclock com.android.deskclock"),
    _app("Contacts|Google Contacts|People|通讯录", "com.google.android.contacts com.android.contacts"),
    _app("Phone|Dialer|Phone app|Google Phone|电话", "com.google.android.dialer com.android.dialer"),
    _app("Messages|Google Messages|Android Messages|Messaging|短信",
         "com.google.android.apps.messaging com.android.messaging"),
    _app("Camera|Google Camera|相机", "com.android.camera2 com.google.android.GoogleCamera com.android.camera"),
    _app("Files|Documents", "com.google.android.documentsui com.android.documentsui"),
    _app("Files by Google|Google Files", "com.google.android.apps.nbu.files"),
    _app("Calculator|Google Calculator|计算器", "com.google.android.calculator com.android.calculator2"),
    _app("Play Store|Google Play|Google Play Store", "com.android.vending"),
    # Google's
    _app("Google|Google Search", "com.google.android.googlequicksearchbox"),
    _app("Gmail|Google Mail", "com.google.android.gm"),
    _app("Google Maps|Maps|Gmaps", "com.google.android.apps.maps"),
    _app("Google Photos|Photos", "com.google.android.apps.photos"),
    _app("Google Calendar|Calendar|Gcal", "com.google.android.calendar com.android.calendar"),
    _app("Google Drive|Drive|Gdrive", "com.google.android.apps.docs"),
    _app("Google Docs|Docs", "com.google.android.apps.docs.editors.docs"),
    _app("Google Sheets|Sheets", "com.google.android.apps.docs.editors.sheets"),
    _app("Google Slides|Slides", "com.google.android.apps.docs.editors.slides"),
    _app("Google Keep|Keep|Keep Notes|Google Keep Notes", "com.google.android.keep"),
    _app("Google Chat", "com.google.android.apps.dynamite"),
    _app("Google Meet|Meet", "com.google.android.apps.tachyon com.google.android.apps.meetings"),
    _app("Google Voice", "com.google.android.apps.googlevoice"),
    _app("Google News", "com.google.android.apps.magazines"),
    _app("Google Translate|Translate", "com.google.android.apps.translate"),
    _app("Google Wallet|Google Pay", "com.google.android.apps.walletnfcrel"),
    _app("Google Fit", "com.google.android.apps.fitness"),
    _app("Google Tasks", "com.google.android.apps.tasks"),
    _app("Google Home", "com.google.android.apps.chromecast.app"),
    _app("Google Recorder|Recorder", "com.google.android.apps.recorder"),
    _app("YouTube|YT", "com.google.android.youtube"),
    _app("YouTube Music|YT Music", "com.google.android.apps.youtube.music"),
    # AndroidWorld's
    _app("Android World", "com.example.androidworld"),
    _app("Audio Recorder", "com.dimowner.audiorecorder"),
    _app("Broccoli|Broccoli app|Broccoli recipe app|Recipe app", "com.flauschcode.broccoli"),
    _app("Clipper|Clipper app", "ca.zgrs.clipper"),
    _app("Joplin|Joplin app", "net.cozic.joplin"),
    _app("Markor", "net.gsantner.markor"),
    _app("MiniWoB", "com.google.androidenv.miniwob"),
    _app("OpenTracks|Open Tracks sports tracker|Activity tracker|Sports tracker", "de.dennisguse.opentracks"),
    _app("OsmAnd|OsmAnd Maps", "net.osmand net.osmand.plus"),
    _app("Pro Expense|Pro Expense app|Expense", "com.arduia.expense"),
    _app("Retro Music|Retro Music Player|Retro player|Retro", "code.name.monkey.retromusic"),
    _app("Simple Calendar Pro|Simple Calendar", "com.simplemobiletools.calendar.pro"),
    _app("Simple Draw Pro|Simple Draw", "com.simplemobiletools.draw.pro"),
    _app("Simple Gallery Pro|Simple Gallery", "com.simplemobiletools.gallery.pro"),
    _app("Simple SMS Messenger|Simple SMS|SMS Messenger", "com.simplemobiletools.smsmessenger"),
    _app("Tasks|Tasks app|Tasks.org", "org.tasks"),
    _app("VLC|VLC app|VLC player|VLC for Android", "org.videolan.vlc"),
    # others
    _app("Amazon Shopping|Amazon|Amzn", "com.amazon.mShop.android.shopping"),
    _app("Booking.com|Booking", "com.booking"),
    _app("Discord", "com.discord"),
    _app("Duolingo", "com.duolingo"),
    _app("eBay", "com.ebay.mobile"),
    _app("Expedia", "com.expedia.bookings"),
    _app("Facebook|FB", "com.facebook.katana"),
    _app("Firefox|Mozilla Firefox", "org.mozilla.firefox"),
    _app("Grubhub", "com.grubhub.android"),
    _app("Instagram|IG", "com.instagram.android"),
    _app("LinkedIn", "com.linkedin.android"),
    _app("McDonald's", "com.mcdonalds.app"),
    _app("Messenger|Facebook Messenger", "com.facebook.orca"),
    _app("Microsoft Outlook|Outlook", "com.microsoft.office.outlook"),
    _app("Netflix", "com.netflix.mediaclient"),
    _app("Pinterest", "com.pinterest"),
    _app("Quora", "com.quora.android"),
    _app("Reddit", "com.reddit.frontpage"),
    _app("Signal", "org.thoughtcrime.securesms"),
    _app("Snapchat", "com.snapchat.android"),
    _app("Spotify", "com.spotify.music"),
    _app("Starbucks", "com.starbucks.mobilecard"),
    _app("Telegram", "org.telegram.messenger"),
    _app("TikTok", "com.zhiliaoapp.musically"),
    _app("Tripadvisor", "com.tripadvisor.tripadvisor"),
    _app("Twitter|X|Tweet", "com.twitter.android"),
    _app("Uber", "com.ubercab"),
    _app("Waze", "com.waze"),
    _app("WhatsApp|WA", "com.whatsapp"),
    _app("Yelp", "com.yelp.android"),
    _app("Zoom", "us.zoom.videomeetings"),
    # Chinese
    _app("微信|WeChat", "com.tencent.mm"),
    _app("QQ", "com.tencent.mobileqq"),
    _app("支付宝|Alipay", "com.eg.android.AlipayGphone"),
    _app("淘宝|Taobao", "com.taobao.taobao"),
    _app("闲鱼|Xianyu", "com.taobao.idlefish"),
    _app("京东|JD", "com.jingdong.app.mall"),
    _app("拼多多|Pinduoduo", "com.xunmeng.pinduoduo"),
    _app("美团|Meituan", "com.sankuai.meituan"),
    _app("大众点评|Dianping", "com.dianping.v1"),
    _app("饿了么|Eleme", "me.ele"),
    _app("抖音|Douyin", "com.ss.android.ugc.aweme"),
    _app("快手|Kuaishou", "com.smile.gifmaker"),
    _app("小红书|RedNote|Xiaohongshu", "com.xingin.xhs"),
    _app("哔哩哔哩|B站|Bilibili", "tv.danmaku.bili"),
    _app("微博|Weibo", "com.sina.weibo"),
    _app("知乎|Zhihu", "com.zhihu.android"),
    _app("高德地图|Amap", "com.autonavi.minimap"),
    _app("百度地图|Baidu Maps", "com.baidu.BaiduMap"),
    _app("携程|携程旅行|Ctrip", "ctrip.android.view"),
    _app("铁路12306|12306", "com.MobileTicket"),
    _app("网易云音乐|NetEase Cloud Music", "com.netease.cloudmusic"),
    _app("QQ音乐|QQ Music", "com.tencent.qqmusic"),
)  # fmt: skip


def normal(name: str) -> str:
    """A name without case, blanks and punctuation; letters and digits of every script stay."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(c for c in folded if c.isalnum())


def resolve(name: str, installed: Iterable[str], labels: Mapping[str, str] | None = None) -> str:
    """The package of `installed` that `name` means; AppNotFound says what is near.

    labels: package -> the name the phone shows, where the phone tells it.
    """
    packages = list(dict.fromkeys(installed))
    wanted = normal(name)
    if name in packages:
        return name
    if PACKAGE.fullmatch(name.strip()) and name.strip() in packages:
        return name.strip()
    names = _names_of(packages, labels or {})
    exact = [package for package, known in names.items() if wanted and wanted in known]
    if exact:
        return min(exact, key=lambda package: _rank(package, wanted, labels or {}))
    near = _near(wanted, names)
    if len(near) == 1:
        return near[0]
    hint = f"near: {', '.join(near)}" if near else "use the app's whole name or its package"
    raise AppNotFound(f"no installed app is called {name!r}", "", hint)


def known_names(package: str) -> tuple[str, ...]:
    """The table's names of a package, () if it has none."""
    return next((app.names for app in NAMES if package in app.packages), ())


def _names_of(packages: Iterable[str], labels: Mapping[str, str]) -> dict[str, set[str]]:
    """Package -> its names, normalized."""
    found: dict[str, set[str]] = {}
    for package in packages:
        names = {normal(n) for n in known_names(package)} | {normal(labels.get(package, ""))}
        found[package] = names - {""}
    return found


def _rank(package: str, wanted: str, labels: Mapping[str, str]) -> tuple[bool, int, int]:
    """Sort key: the phone's own label first, then the table's order, then the place among its packages."""
    own = normal(labels.get(package, "")) == wanted
    for index, app in enumerate(NAMES):
        if package in app.packages:
            return (not own, index, app.packages.index(package))
    return (not own, len(NAMES), 0)


def _near(wanted: str, names: Mapping[str, set[str]]) -> list[str]:
    """Packages with a name that is `wanted` spelled wrong."""
    if len(wanted) < SHORTEST_FUZZY:
        return []
    from rapidfuzz import fuzz

    return [
        package
        for package, known in names.items()
        if any(len(n) >= SHORTEST_FUZZY and fuzz.ratio(wanted, n) >= NEAR for n in known)
    ]
