import { test as base } from 'vitest'

/** For files whose tests mostly wait, as sign-ins do: several run at once, each on an appliance of its own. */
export const test: typeof base.concurrent = base.concurrent
