import { test } from 'vitest'

/** Whether `npm run test:thorough` runs: everything at full length, which `npm test` leaves out for the sake of time. */
export const isThorough = process.env.HOMEPORT_THOROUGH_TESTS === '1'

/** How often something is tried: the first number of times in `npm run test:thorough`, the second in `npm test`. */
export const times = (thorough: number, usual: number): number => (isThorough ? thorough : usual)

/** A test that takes long, and runs in `npm run test:thorough` only. */
export const atLength: ReturnType<typeof test.skipIf> = test.skipIf(!isThorough)
