import type { Origin } from '../../../platform/actor.ts'
import type { Journey } from '../store.ts'
import type { Assertion } from './assertion.ts'

/**
 * What the callback does with somebody who connects an account, all of §10 up to step 14 done: connects it, in a
 * transaction that begins with `liveProvider(db, journey)`, and tells where to go. A thrown `Refusal` is answered with
 * the link code that it has.
 */
export type FinishLink = (journey: Journey, assertion: Assertion, origin: Origin) => string
