import type { OpenCheck } from '../../../shared/api/backup-verification.ts'
import { ApiError } from '../../lib/api-error.ts'
import { notifyFailed } from '../../lib/notify.ts'
import { UserFacingError } from '../../lib/user-facing-error.ts'
import { underWayWords } from './check-words.ts'

/** No check was begun; while another one is under way it is said which. */
export const notifyNotChecked = (what: string) => (error: Error) => notifyFailed(what)(inWords(error))

function inWords(error: Error): Error {
  if (!(error instanceof ApiError) || error.code !== 'verification_running' || !error.body.verification) return error
  return new UserFacingError(underWayWords(error.body.verification as OpenCheck, Date.now()))
}
