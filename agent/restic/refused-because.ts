import { reasonFrom, refusalOf } from '../../shared/node/restic-refusals.ts'
import type { ResticEnd } from './restic-run.ts'

/** Why restic did nothing, for people. */
export function refusedBecause(end: ResticEnd): string {
  switch (refusalOf(end)) {
    // One that should be there and is not is not made anew: a share may not be mounted.
    case 'no-repository':
      return 'The repository is not there. Is the storage connected?'
    case 'wrong-password':
      return 'Repository key rejected'
    case 'not-admitted':
      return /host key verification failed/i.test(end.stderr)
        ? 'The server has another host key than the one that was entered'
        : 'The storage refuses access. Check its credentials and permissions'
    case 'unreachable':
      return 'The storage could not be reached'
    case 'full':
      return 'The storage is full'
    case 'read-only':
      return 'The storage can only be read'
    default:
      return reasonFrom(end)
  }
}
