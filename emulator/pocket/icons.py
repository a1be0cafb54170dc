"""Line icons drawn from a table: each a few shapes on a 24 x 24 grid, no bitmap files.

Shapes, separated by `;`: `line W x,y x,y ...` (stroke), `poly x,y ...` (filled), `rect l,t,r,b [radius]`,
`box l,t,r,b W [radius]` (outline), `disc x,y r`, `ring x,y r W`, `arc x,y r from to W` (degrees, clockwise
from three o'clock). A leading `-` erases. They are drawn four times as large and scaled down, so edges are smooth.
"""

from __future__ import annotations

from PIL import Image, ImageDraw

from emulator.pocket.fonts import Cache

SHAPES: dict[str, str] = {
    "back": "line 2 20,12 5,12; line 2 12,5 5,12 12,19",
    "forward": "line 2 4,12 19,12; line 2 12,5 19,12 12,19",
    "close": "line 2 6,6 18,18; line 2 18,6 6,18",
    "check": "line 2.4 4,13 9.5,18 20,6.5",
    "add": "line 2.2 12,4 12,20; line 2.2 4,12 20,12",
    "remove": "line 2.2 4,12 20,12",
    "more": "disc 12,5 2; disc 12,12 2; disc 12,19 2",
    "menu": "line 2 3,6 21,6; line 2 3,12 21,12; line 2 3,18 21,18",
    "search": "ring 10,10 6.2 2; line 2.2 14.5,14.5 21,21",
    "up": "line 2.2 5,15 12,8 19,15",
    "down": "line 2.2 5,9 12,16 19,9",
    "left": "line 2.2 15,5 8,12 15,19",
    "right": "line 2.2 9,5 16,12 9,19",
    "arrow_up": "line 2 12,20 12,5; line 2 5,12 12,5 19,12",
    "arrow_down": "line 2 12,4 12,19; line 2 5,12 12,19 19,12",
    "dropdown": "poly 6,9 18,9 12,16",
    "edit": "poly 3,17 14,6 18,10 7,21 3,21; poly 15,5 17,3 21,7 19,9",
    "delete": "rect 6,8,18,21 1.5; rect 4,4.5,20,6.5; rect 9,3,15,5",
    "save": "box 4,4,20,20 2 2; rect 7,4,16,9; rect 7,13,17,20",
    "send": "poly 2,21 23,12 2,3 2,10 16,12 2,14",
    "share": "disc 18,5 3; disc 6,12 3; disc 18,19 3; line 2 6,12 18,5; line 2 6,12 18,19",
    "copy": "box 8,7,20,22 2 2; line 2 4,17 4,3 16,3",
    "paste": "box 4,5,20,22 2 2; rect 8,2,16,7 1",
    "cut": "ring 6,6 3 2; ring 6,18 3 2; line 2 8,8 20,20; line 2 8,16 20,4",
    "star": "poly 12,2 15,9 22,9.4 16.5,14 18.5,21.5 12,17.3 5.5,21.5 7.5,14 2,9.4 9,9",
    "star_outline": "line 1.8 12,3 14.8,9.2 21,9.6 16,14 18,20.7 12,16.8 6,20.7 8,14 3,9.6 9.2,9.2 12,3",
    "heart": "disc 7.5,8.5 5; disc 16.5,8.5 5; poly 3,10.5 12,21 21,10.5 12,7",
    "settings": "ring 12,12 6 3.4; line 3 12,2 12,6; line 3 12,18 12,22; line 3 2,12 6,12; line 3 18,12 22,12;"
    "line 3 5,5 8,8; line 3 16,16 19,19; line 3 19,5 16,8; line 3 8,16 5,19",
    "wifi": "arc 12,19 15 225 315 2.6; arc 12,19 10 225 315 2.6; arc 12,19 5.2 225 315 2.6; disc 12,18.6 2",
    "wifi_off": "arc 12,19 15 225 315 2; arc 12,19 10 225 315 2; disc 12,18.6 2; -line 4 4,3 22,21; line 2 3,3 21,21",
    "bluetooth": "line 2 6,7 18,17 12,22 12,2 18,7 6,17",
    "airplane": "poly 10.5,3 13.5,3 13.5,9 22,14 22,16.5 13.5,13.7 13.5,18.5 16,20.3 16,22 12,21 8,22 8,20.3"
    " 10.5,18.5 10.5,13.7 2,16.5 2,14 10.5,9",
    "battery": "rect 7,4,17,22 2; rect 10,2,14,5",
    "battery_saver": "rect 7,4,17,22 2; rect 10,2,14,5; -line 2 12,9 12,17; -line 2 8.5,13 15.5,13",
    "signal": "poly 3,21 21,21 21,3",
    "brightness": "disc 12,12 4.6; line 2.2 12,1.5 12,4.5; line 2.2 12,19.5 12,22.5; line 2.2 1.5,12 4.5,12;"
    "line 2.2 19.5,12 22.5,12; line 2.2 4.6,4.6 6.8,6.8; line 2.2 17.2,17.2 19.4,19.4;"
    "line 2.2 19.4,4.6 17.2,6.8; line 2.2 6.8,17.2 4.6,19.4",
    "moon": "disc 12,12 9; -disc 16,9 7.5",
    "flashlight": "poly 7,3 17,3 17,7 14,11 14,22 10,22 10,11 7,7; -disc 12,14 1.4",
    "volume": "poly 3,9 8,9 13,4 13,20 8,15 3,15; arc 13,12 5 300 60 2; arc 13,12 8.5 300 60 2",
    "info": "ring 12,12 9 2; line 2.2 12,11 12,17; disc 12,7.6 1.3",
    "phone_device": "box 6,1.5,18,22.5 2 2; line 1.6 10,19.5 14,19.5",
    "devices": "box 2,5,17,17 2 1; rect 14,9,23,21 1.5; -rect 16,11,21,18; rect 1,18,13,20",
    "apps": "disc 5,5 2; disc 12,5 2; disc 19,5 2; disc 5,12 2; disc 12,12 2; disc 19,12 2; disc 5,19 2;"
    "disc 12,19 2; disc 19,19 2",
    "bell": "poly 5,17 5,10 7,6 10,4 14,4 17,6 19,10 19,17; rect 3,16.5,21,18.5; disc 12,20 2.2",
    "lock": "rect 5,10,19,22 2; arc 12,9 5 180 360 2.2; -disc 12,16 1.8",
    "location": "disc 12,9 7; poly 5.6,12 18.4,12 12,23; -disc 12,9 2.7",
    "storage": "rect 3,4,21,9 1; rect 3,10,21,15 1; rect 3,16,21,21 1; -disc 6.5,6.5 1; -disc 6.5,12.5 1;"
    "-disc 6.5,18.5 1",
    "accessibility": "disc 12,4 2.2; line 2.2 4,8 20,8; line 2.6 12,8 12,14; line 2.2 12,14 8.5,22;"
    "line 2.2 12,14 15.5,22",
    "person": "disc 12,8 4.4; poly 3.5,20.5 4.5,17 8,14.6 16,14.6 19.5,17 20.5,20.5",
    "group": "disc 9,8 3.6; poly 2,20 3,16 6,14 12,14 15,16 16,20; disc 17,9 3;"
    "poly 17,20 17,16 15.5,14 19.5,14.4 22,17 22,20",
    "call": "poly 4,3 8.5,3 10,8.5 7.4,10.4 13.6,16.6 15.5,14 21,15.5 21,20 18.5,21.4 12,19 5,12 2.6,5.5",
    "call_end": "poly 2,13 6,9.5 12,8.5 18,9.5 22,13 20,16.5 16,14.5 15.5,11.8 8.5,11.8 8,14.5 4,16.5",
    "message": "rect 3,3,21,17 3; poly 3,22 3,14 10,14",
    "mail": "box 3,5,21,19 2 1; line 2 3,7 12,13 21,7",
    "clock": "ring 12,12 9 2; line 2 12,6.5 12,12 16,14.5",
    "alarm": "ring 12,13 7.5 2; line 2 12,9 12,13 15,15; line 2.2 2.5,6 7,2.5; line 2.2 21.5,6 17,2.5",
    "timer": "ring 12,13.5 7.5 2; line 2 12,9 12,13.5; line 2.4 9,2.6 15,2.6; line 2 17.5,6.5 19.5,4.6",
    "stopwatch": "ring 12,13.5 7.5 2; line 2 12,13.5 15.5,10; line 2.4 9,2.6 15,2.6; line 2 12,3 12,6",
    "hourglass": "poly 6,2 18,2 18,7 13,12 18,17 18,22 6,22 6,17 11,12 6,7; -poly 8,4 16,4 16,6.5 12,10 8,6.5",
    "play": "poly 7,4 20,12 7,20",
    "pause": "rect 6,4,10,20; rect 14,4,18,20",
    "stop": "rect 5.5,5.5,18.5,18.5 1",
    "next": "poly 5,5 15,12 5,19; rect 16,5,18.6,19",
    "previous": "poly 19,5 9,12 19,19; rect 5.4,5,8,19",
    "record": "disc 12,12 8",
    "flag": "line 2 5,3 5,22; poly 5,3 19,3 16,8 19,13 5,13",
    "repeat": "line 2 5,11 5,7 19,7; line 2 15,3 19,7 15,11; line 2 19,13 19,17 5,17; line 2 9,13 5,17 9,21",
    "shuffle": "line 2 3,6 8,6 16,18 21,18; line 2 3,18 8,18 16,6 21,6; poly 18,3 22,6 18,9; poly 18,15 22,18 18,21",
    "refresh": "arc 12,12 7.5 310 240 2.2; poly 13,1.5 20,5.5 14,10",
    "undo": "arc 12,14 7 190 360 2.2; poly 2,6 2,15 11,15",
    "redo": "arc 12,14 7 180 350 2.2; poly 22,6 22,15 13,15",
    "calendar": "box 3,4,21,21 2 2; rect 3,4,21,9; line 2.2 8,1.8 8,6; line 2.2 16,1.8 16,6; rect 7,12,11,16",
    "calendar_day": "box 3,4,21,21 2 2; rect 3,4,21,9; rect 7,12,17,18",
    "folder": "poly 2,5 9.5,5 12,7.5 22,7.5 22,19.5 2,19.5",
    "folder_open": "poly 2,5 9.5,5 12,7.5 20,7.5 20,10 5,10 2,19.5; poly 6,11.5 23,11.5 20,19.5 3,19.5",
    "new_folder": "poly 2,5 9.5,5 12,7.5 22,7.5 22,19.5 2,19.5; -line 2 16,10 16,17; -line 2 12.5,13.5 19.5,13.5",
    "file": "poly 5,2 14,2 19,7 19,22 5,22; -poly 13.5,3 18,7.6 13.5,7.6",
    "note": "rect 4,2.5,20,21.5 2; -line 1.6 7.5,8 16.5,8; -line 1.6 7.5,12 16.5,12; -line 1.6 7.5,16 13,16",
    "image": "rect 3,4,21,20 2; -poly 5,17.5 9.5,11.5 12.5,15 15,12 19,17.5; -disc 8,8.5 1.6",
    "video": "rect 2,6,16,18 2; poly 17,10.5 22,7 22,17 17,13.5",
    "music": "disc 7.5,18 3.6; disc 17.5,16 3.6; line 2 10.3,18 10.3,5 20.3,3 20.3,16",
    "mic": "rect 8.8,2,15.2,14 3.2; arc 12,11 6.6 0 180 2; line 2 12,17.5 12,22",
    "camera": "rect 2,6,22,20 2; rect 8,3.5,16,8 1; -ring 12,13 4.4 2",
    "map": "poly 2,5 8,3 8,19 2,21; poly 9,3 15,5 15,21 9,19; poly 16,5 22,3 22,19 16,21",
    "globe": "ring 12,12 9 2; line 1.6 3,12 21,12; arc 4,12 10 310 50 1.6; arc 20,12 10 130 230 1.6;"
    "line 1.6 12,3 12,21",
    "list": "disc 4.5,6 1.5; disc 4.5,12 1.5; disc 4.5,18 1.5; line 2 9,6 21,6; line 2 9,12 21,12; line 2 9,18 21,18",
    "grid": "rect 3,3,10.5,10.5 1; rect 13.5,3,21,10.5 1; rect 3,13.5,10.5,21 1; rect 13.5,13.5,21,21 1",
    "sort": "line 2 3,6 21,6; line 2 3,12 15,12; line 2 3,18 9,18",
    "filter": "poly 3,4 21,4 14,12.5 14,20 10,18 10,12.5",
    "attach": "line 2 16,6 16,17 12,21 8,17 8,6 11,3 14,6 14,16 12,17.6 10.5,16 10.5,8",
    "emoji": "ring 12,12 9 2; disc 8.8,9.6 1.3; disc 15.2,9.6 1.3; arc 12,12 5 20 160 2",
    "keyboard": "box 2,5,22,19 2 2; line 2 6,9 18,9; line 2 6,12 18,12; line 2 8,15.6 16,15.6",
    "backspace": "poly 8,4 22,4 22,20 8,20 1.5,12; -line 2 11.5,8.5 18.5,15.5; -line 2 18.5,8.5 11.5,15.5",
    "enter": "line 2 20,5 20,13 5,13; line 2 10,8 5,13 10,18",
    "shift": "poly 12,3 21,12 16,12 16,20 8,20 8,12 3,12",
    "dialpad": "disc 6,4 2; disc 12,4 2; disc 18,4 2; disc 6,10 2; disc 12,10 2; disc 18,10 2; disc 6,16 2;"
    "disc 12,16 2; disc 18,16 2; disc 12,22 1.8",
    "voicemail": "ring 7,12 4.4 2; ring 17,12 4.4 2; line 2 7,16.4 17,16.4",
    "money": "ring 12,12 9 2; line 1.8 15.5,8.5 12,7 9,8.6 9,10.6 15,13.4 15,15.4 12,17 8.5,15.6; line 1.8 12,5 12,19",
    "food": "line 2 6,2 6,8; line 2 9,2 9,8; line 2 3,2 3,8; rect 2.2,7,9.8,10 1; line 2.4 6,9 6,22;"
    "poly 16,2 19.5,4 20,13 17,13; line 2.4 18,12 18,22",
    "clipboard": "rect 4,4,20,22 2; -rect 7,8,17,19.5; rect 8,1.5,16,6.5 1; line 1.8 9,11.5 15,11.5;"
    "line 1.8 9,15.5 15,15.5",
    "palette": "disc 12,12 9.5; -disc 7.5,10 1.6; -disc 11,6.6 1.6; -disc 16,7.6 1.6; -disc 17,17 3.4",
    "key": "ring 7,12 4 2.4; line 2.6 11,12 22,12; line 2.4 20,12 20,16; line 2.4 16,12 16,15",
    "eye": "disc 12,12 3; arc 12,19 11.5 220 320 2; arc 12,5 11.5 40 140 2",
    "help": "ring 12,12 9 2; arc 12,9.6 2.8 180 60 2; line 2 12,12 12,14.2; disc 12,17 1.2",
    "warning": "poly 12,2.5 22.5,21 1.5,21; -line 2.2 12,9 12,15; -disc 12,17.8 1.2",
    "label": "poly 3,5 15,5 21,12 15,19 3,19",
    "nav_back": "poly 17,4 17,20 5,12",
    "nav_home": "disc 12,12 7.5",
    "nav_recents": "rect 5.5,5.5,18.5,18.5 1.5",
    "usb": "line 2 12,2 12,20; disc 12,20 2.4; line 2 12,14 6,10 6,7; line 2 12,16 18,12 18,8; poly 9,5 12,1 15,5",
    "dot": "disc 12,12 5",
    "gym": "rect 2,9,5,15 1; rect 5.5,6,9,18 1; rect 15,6,18.5,18 1; rect 19,9,22,15 1; rect 8,10.8,16,13.2",
    "run": "disc 15,4 2.2; line 2.4 14,8 10,14 14,17 12,22; line 2.4 10,14 5,17; line 2.2 8,9 14,8 18,12",
    "eraser": "poly 13,3 21,11 12,20 4,12; -line 1.6 8.5,7.5 16.5,15.5; line 2 8,20.5 21,20.5",
    "dropper": "line 4.5 15,9 19,5; line 3 12,8 16,12; line 2.4 13,11 5,19; disc 4.5,20 1.6",
    "directions": "poly 12,1 23,12 12,23 1,12; -line 2 8,16 8,11.5 16,11.5; -line 2 13,8 16.5,11.5 13,15",
    "play_box": "rect 2,4,22,20 3; -poly 9.5,8 16.5,12 9.5,16",
    "download": "line 2 12,3 12,15; line 2 6,9.5 12,15.5 18,9.5; line 2 4,20 20,20",
    "bold": "line 2.6 7,4 7,20 14,20 17,17.5 17,14.5 14,12 7,12; line 2.6 7,4 13,4 16,6 16,9.6 13,12",
    "link": "box 2,8,13,16 2 4; box 11,8,22,16 2 4",
    "house": "poly 12,3 22,12 19,12 19,21 14,21 14,15 10,15 10,21 5,21 5,12 2,12",
    "car": "poly 5,6 19,6 22,12 22,18 2,18 2,12; -poly 6.5,8 17.5,8 19,11.5 5,11.5; disc 6.5,18 2.4; disc 17.5,18 2.4",
    "shirt": "poly 8,3 16,3 22,7 20,11 17,10 17,21 7,21 7,10 4,11 2,7",
    "school": "poly 12,3 23,9 12,15 1,9; poly 5.5,13 12,16.6 18.5,13 18.5,17 12,20.5 5.5,17",
    "gift": "rect 3,11,21,22 1; rect 2,7,22,11 1; -line 1.6 12,7 12,22; ring 9,5 2.4 1.6; ring 15,5 2.4 1.6",
    "health": "rect 4,4,20,20 2; -rect 10.5,7,13.5,17; -rect 7,10.5,17,13.5",
    "ticket": "rect 2,6,22,18 2; -disc 2,12 2.4; -disc 22,12 2.4; -line 1.4 15,8 15,16",
    "broccoli": "disc 7.5,8.5 4.6; disc 16.5,8.5 4.6; disc 12,6.4 4.8; poly 9,10 15,10 14,21.5 10,21.5",
    "heart_outline": "disc 7.5,8.5 5; disc 16.5,8.5 5; poly 3,10.5 12,21 21,10.5 12,7; -disc 7.7,8.7 3.2;"
    "-disc 16.3,8.7 3.2; -poly 5.4,10.6 12,18 18.6,10.6 12,7.6",
    "visibility_off": "disc 12,12 3; arc 12,19 11.5 220 320 2; arc 12,5 11.5 40 140 2; -line 4 4,4 20,20;"
    "line 2 4,4 20,20",
    "album": "disc 12,12 9.5; -disc 12,12 4; disc 12,12 1.6",
    "queue": "line 2 3,6 15,6; line 2 3,11 15,11; line 2 3,16 9,16; disc 15.5,17.5 3; line 2 18,17.5 18,7 22,7",
    "queue_add": "box 7,2,22,17 2 2; line 2 14.5,6 14.5,13; line 2 11,9.5 18,9.5; line 2 3,7 3,21 17,21",
    "playlist_add": "line 2 3,6 15,6; line 2 3,11 15,11; line 2 3,16 10,16; line 2 17.5,13 17.5,21;"
    "line 2 13.5,17 21.5,17",
    "cone": "poly 10.6,2 13.4,2 14.4,6 9.6,6; poly 9,8 15,8 16.4,13 7.6,13; poly 7.2,15 16.8,15 18,19 6,19;"
    "rect 2.5,18,21.5,22 1",
    "play_all": "poly 4,4 14,10.5 4,17; line 2 15,7 22,7; line 2 17,12 22,12; line 2 3,20 22,20",
    "rewind": "poly 12,5 12,19 2.5,12; poly 21.5,5 21.5,19 12,12",
    "fast_forward": "poly 12,5 12,19 21.5,12; poly 2.5,5 2.5,19 12,12",
    "bike": "ring 5.5,16 4 1.8; ring 18.5,16 4 1.8; line 1.8 5.5,16 9.5,9 15.5,9 18.5,16; line 1.8 9.5,9 12,16 15.5,9;"
    "line 1.8 5.5,16 12,16; line 1.8 14.5,6 17,6 15.5,9; line 1.8 8,7 11,7",
    "swim": "disc 17.5,9 2.4; line 2.4 4,12 9,7 13,9 16,14; line 1.8 2,17 6,15.4 10,17 14,15.4 18,17 22,15.4;"
    "line 1.8 2,21 6,19.4 10,21 14,19.4 18,21 22,19.4",
    "hike": "disc 13,3.6 2.1; line 2.6 12.4,7 11,13 13.6,16 14,22; line 2.4 11,13 9.6,17 7,22;"
    "line 2 12.4,8 16,11.5 18,11.5; line 1.4 18.6,9 18.6,22; poly 7.4,6.6 10,6.6 9.4,12.6 6.6,12.4",
    "ski": "disc 16,4 2.1; line 2.4 14,8 10,11.4 14,14 11.6,18.4; "
    "line 1.8 3,15.6 18,21.4 20.4,20.6; line 1.6 14,8 20,11",
    "board": "disc 13.5,4 2.1; line 2.4 12.6,7.4 11.6,12.4 14.6,15 13.4,18.4; line 2.2 11.6,12.4 9,18;"
    "line 2.4 3,17.4 5.4,20 18.4,20 21,17.4",
    "boat": "poly 3,15 21,15 18,21 6,21; poly 11,2 11,13.4 4,13.4; poly 13,5 13,13.4 19,13.4",
    "climb": "poly 1.6,21 9,6 13,13 15.4,9.4 22.4,21; disc 17.6,4 2",
    "wave": "line 2 2,9 6,6.6 10,9 14,6.6 18,9 22,6.6; line 2 2,14 6,11.6 10,14 14,11.6 18,14 22,11.6;"
    "line 2 2,19 6,16.6 10,19 14,16.6 18,19 22,16.6",
    "chart": "line 2 3,3 3,21 21,21; line 2 6,16 10,11 14,14 20,6",
    "gps_off": "ring 12,12 6 2; line 2 12,2 12,6; line 2 12,18 12,22; line 2 2,12 6,12;"
    "line 2 18,12 22,12; line 2 4,4 20,20",
    "gps": "ring 12,12 6 2; disc 12,12 3; line 2 12,2 12,6; line 2 12,18 12,22; line 2 2,12 6,12; line 2 18,12 22,12",
    "joplin": "poly 9,3 19,3 19,6 16.6,6 16.6,16 11,21.4 5,16.4 8,13.4 11.4,16.2 13,14.6 13,6 9,6",
}  # fmt: skip
OVERSAMPLE = 4
_MASKS: Cache[tuple[str, int], Image.Image] = Cache(1_000)


def icon_mask(name: str, size: int) -> Image.Image:
    """Coverage (mode L, size x size) of an icon; KeyError for a name the table does not have."""
    key = (name, size)
    known = _MASKS.get(key)
    if known is None:
        known = _MASKS.keep(key, _draw(SHAPES[name], max(size, 1)))
    return known


def _draw(shapes: str, size: int) -> Image.Image:
    side = size * OVERSAMPLE
    image = Image.new("L", (side, side))
    canvas = ImageDraw.Draw(image)
    for shape in shapes.split(";"):
        _draw_shape(canvas, shape.strip(), side / 24)
    return image.resize((size, size), Image.Resampling.BOX)


def _draw_shape(canvas: ImageDraw.ImageDraw, shape: str, unit: float) -> None:
    fill = 0 if shape.startswith("-") else 255
    verb, *words = shape.lstrip("-").split()
    groups = [[float(n) * unit for n in word.split(",")] for word in words]
    if verb == "line":
        _line(canvas, groups[0][0], [(g[0], g[1]) for g in groups[1:]], fill)
    elif verb == "poly":
        canvas.polygon([(g[0], g[1]) for g in groups], fill=fill)
    elif verb == "rect":
        box = (groups[0][0], groups[0][1], groups[0][2], groups[0][3])
        canvas.rounded_rectangle(box, groups[1][0] if len(groups) > 1 else 0, fill=fill)
    elif verb == "box":
        box = (groups[0][0], groups[0][1], groups[0][2], groups[0][3])
        radius = groups[2][0] if len(groups) > 2 else 0
        canvas.rounded_rectangle(box, radius, outline=fill, width=max(round(groups[1][0]), 1))
    elif verb in {"disc", "ring"}:
        (x, y), radius = groups[0], groups[1][0]
        box = (x - radius, y - radius, x + radius, y + radius)
        if verb == "disc":
            canvas.ellipse(box, fill=fill)
        else:
            canvas.ellipse(box, outline=fill, width=max(round(groups[2][0]), 1))
    elif verb == "arc":
        (x, y), radius, wide = groups[0], groups[1][0], groups[4][0]
        box = (x - radius, y - radius, x + radius, y + radius)
        canvas.arc(box, groups[2][0] / unit, groups[3][0] / unit, fill=fill, width=max(round(wide), 1))
    else:
        raise ValueError(f"icon shape {verb!r} is not one of line poly rect box disc ring arc")


def _line(canvas: ImageDraw.ImageDraw, wide: float, points: list[tuple[float, float]], fill: int) -> None:
    canvas.line(points, fill=fill, width=max(round(wide), 1), joint="curve")
    half = wide / 2
    for x, y in (points[0], points[-1]):
        canvas.ellipse((x - half, y - half, x + half, y + half), fill=fill)
