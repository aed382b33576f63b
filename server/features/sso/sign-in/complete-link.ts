import type { Origin } from '../../../platform/actor.ts'
import type { AuthorizationRequest } from '../provider/store.ts'
import type { Assertion } from './assertion.ts'

/**
 * Connects an account with the subject of a verified assertion, in a transaction of its own.
 * @returns the path of the console to go to
 * @throws Refusal
 */
export type CompleteLink = (request: AuthorizationRequest, assertion: Assertion, origin: Origin) => string
