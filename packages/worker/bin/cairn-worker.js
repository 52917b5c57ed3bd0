#!/usr/bin/env node
// Stands here before anything is built, so that npm links it when a clone is installed.
import "../dist/main.js";
