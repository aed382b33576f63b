import type { RefusedDevice } from '../../../shared/api/several-devices.ts'
import type { ErrorCode } from '../../../shared/errors/index.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { everyOrg } from '../../db/reach.ts'
import { withinReach } from '../../db/tenancy.ts'
import { onePiece } from '../../lib/pieces.ts'
import { pieceMs } from '../../lib/turns.ts'
import type { UserActor } from '../../platform/actor.ts'
import { AppError } from '../../platform/errors.ts'

/** Refusals that say there was nothing to do. */
const nothingToDo: readonly ErrorCode[] = ['ALREADY_PENDING', 'device_already_there', 'device_unchanged']

interface Outcome<Done> {
  done: Done[]
  failed: RefusedDevice[]
  skipped: RefusedDevice[]
}

/**
 * Does the same with several devices, a few in each transaction, because all of them at once would hold up other requests.
 * A refusal of one does not keep the others; what is out of reach is not found.
 * @throws AppError the refusal that all of them got, if it was one and the same
 */
export async function onEachDevice<Done>(
  db: Database,
  actor: UserActor,
  deviceIds: readonly string[],
  act: (deviceId: string) => Done,
): Promise<Outcome<Done>> {
  const known = reached(db, actor, deviceIds)
  const outcome: Outcome<Done> = { done: [], failed: [], skipped: [] }
  const refusals = new Map<string, AppError>()
  const tryOne = (deviceId: string) => {
    try {
      if (!known.has(deviceId)) throw new AppError('device_not_found')
      db.attempt(() => {
        outcome.done.push(act(deviceId))
      })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const { code, error: message } = error.body()
      refusals.set(message, error)
      outcome[nothingToDo.includes(error.code) ? 'skipped' : 'failed'].push({ deviceId, code, message })
    }
  }
  const remaining = [...deviceIds]
  while (remaining.length > 0) await onePiece(() => db.transaction(() => doSome(remaining, tryOne)))
  const [refusal] = refusals.values()
  if (refusal && refusals.size === 1 && outcome.failed.length === deviceIds.length) throw refusal
  return outcome
}

/** For a few milliseconds, and at least one. */
function doSome(remaining: string[], act: (id: string) => void): void {
  const until = performance.now() + pieceMs
  do {
    const id = remaining.shift()
    if (id !== undefined) act(id)
  } while (remaining.length > 0 && performance.now() < until)
}

/** Whether their organizations are in reach is for `act` to ask: to a member, an archived one is frozen and not missing. */
const reached = (db: Database, actor: UserActor, ids: readonly string[]): ReadonlySet<string> =>
  new Set(
    db
      .all(
        q
          .selectFrom('devices')
          .select('id')
          .where('id', 'in', ids)
          .where(withinReach({ ...actor, orgs: everyOrg }, 'devices')),
      )
      .map(({ id }) => id),
  )
