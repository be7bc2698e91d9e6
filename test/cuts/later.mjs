/** Loaded before the reaper's script: lets its clock say that some time has passed. */
const laterMs = Number(process.env['CUTS_LATER_MS'] ?? 0);
const RealDate = Date;

/** @param {...any} parts */
function LaterDate(...parts) {
  if (!new.target) return new RealDate(RealDate.now() + laterMs).toString();
  // @ts-expect-error: whatever Date takes
  return parts.length > 0 ? new RealDate(...parts) : new RealDate(RealDate.now() + laterMs);
}
LaterDate.prototype = RealDate.prototype;
LaterDate.parse = RealDate.parse;
LaterDate.UTC = RealDate.UTC;
LaterDate.now = () => RealDate.now() + laterMs;
globalThis.Date = /** @type {DateConstructor} */ (/** @type {unknown} */ (LaterDate));
