import { readFileSync } from 'node:fs'

/**
 * For a process whose clock a test sets: how many milliseconds it is off stands in the file that `TEST_CLOCK_FILE` names.
 * Plain JavaScript, so that the built server need not load what removes types.
 */
const RealDate = Date
let offset = 0
const look = () => {
  offset = Number(readFileSync(process.env.TEST_CLOCK_FILE ?? '', 'utf8'))
}
look()
setInterval(look, 20).unref()

globalThis.Date = /** @type {DateConstructor} */ (
  class extends RealDate {
    /** @param {[]} given */
    constructor(...given) {
      if (given.length === 0) super(RealDate.now() + offset)
      else super(...given)
    }
    static now() {
      return RealDate.now() + offset
    }
  }
)
