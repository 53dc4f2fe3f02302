// On a narrow screen the tabs scroll: begins with the one of the page in sight.
"use strict";

const tab = document.querySelector(".bar nav [aria-current]");
if (tab) tab.parentElement.scrollLeft = tab.offsetLeft - tab.parentElement.offsetLeft - 12;
