#!/usr/bin/env node
import { door } from './index.js';
await door('cli');
