import { randomBytes } from 'node:crypto'
import { reasonFrom, refusalOf } from '../../../../shared/node/restic-refusals.ts'
import type { ResticRunner } from '../../../../shared/node/restic-run.ts'
import type { Destinations } from '../../../platform/outbound/index.ts'
import type { ResticTarget } from '../providers/index.ts'
import { runGuarded } from '../run-guarded.ts'
import { NotAsked, notAdmitted, Unclear, Unusable } from '../unusable.ts'

/**
 * Has restic open a repository that is not there. That it finds none is the answer of a storage that admits us.
 * @throws Unusable with what restic said
 */
export async function probeByRestic(
  destinations: Destinations,
  runner: ResticRunner,
  target: ResticTarget,
  signal: AbortSignal,
): Promise<void> {
  // restic itself would try for a quarter of an hour.
  const hopeless = new AbortController()
  let firstError: string | undefined
  const onComplaint = (line: string) => {
    firstError ??= /returned error, retrying after [^:]*: (.*)/.exec(line)?.[1]
    if (firstError !== undefined) hopeless.abort()
  }
  const repository = { ...target, password: randomBytes(16).toString('hex') }
  const ended = AbortSignal.any([signal, hopeless.signal])
  const end = await runGuarded(destinations, runner, repository, ['cat', 'config'], ended, { onComplaint })
  if (signal.aborted) signal.throwIfAborted()
  if (end.code === 0) return
  const refusal = refusalOf(firstError === undefined ? end : { ...end, stderr: firstError })
  // There is one, made by somebody else: that is no hindrance.
  if (refusal === 'no-repository' || refusal === 'wrong-password') return
  if (/executable file not found/.test(end.stderr))
    throw new NotAsked('The appliance has no ssh program to test this with')
  if (/host key verification failed/i.test(end.stderr))
    throw new Unusable('The server has another host key than the one that was entered')
  if (refusal === 'not-admitted') throw new Unusable(notAdmitted)
  throw new Unclear(firstError ?? reasonFrom(end))
}
