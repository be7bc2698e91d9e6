import { door } from './index.js';
await door('setup');
