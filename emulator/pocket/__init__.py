"""The pocket phone: a small Android-like device in one Python process, with apps, databases and a screen.

`phone.Phone` is the device without any network; `fronts/` let real tools (adb, android_env, uiautomator2) drive
it. A score from this phone is a pocket score, never an AndroidWorld score.
"""
