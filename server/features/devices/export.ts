import { Readable } from 'node:stream'
import { type DeviceColumn, deviceColumns, type exportDevices, type ListedDevice } from '../../../shared/api/devices.ts'
import type { BodyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import { csvOf } from '../../lib/csv.ts'
import { inSteps, type Steps, untilDone } from '../../lib/pieces.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { AppError } from '../../platform/errors.ts'
import type { RateLimits } from '../../platform/rate-limit.ts'
import { allOf } from './condition.ts'
import { seqsInOrder } from './device-query.ts'
import type { DeviceList } from './list.ts'
import type { Order } from './position.ts'

const devicesPerChunk = 200
const devicesPerStep = 20
/** Of those named, the event keeps so many. */
const maxRecorded = 100

type Wanted = BodyOf<typeof exportDevices>

/** Devices as CSV files. */
export class DeviceExport {
  readonly #db: Database
  readonly #audit: Audit
  readonly #limits: RateLimits
  readonly #list: DeviceList

  constructor(db: Database, audit: Audit, limits: RateLimits, list: DeviceList) {
    this.#db = db
    this.#audit = audit
    this.#limits = limits
    this.#list = list
  }

  /** Recorded before the first byte is sent: a client that disconnects has read part of it. */
  open(actor: UserActor, { deviceIds, filters = {}, sort: by, sortDir: dir }: Wanted): Readable {
    this.#limits.consume('device_export', actor.userId)
    const order: Order = { by, dir }
    const seqs = deviceIds ? this.#named(actor, deviceIds, order) : this.#list.seqs(actor, filters, order)
    this.#audit(actor, {
      action: 'devices.export',
      resourceType: 'device',
      // Beside a list of devices filters are not looked at: an organization there may be anybody's.
      orgId: deviceIds ? actor.orgId : (filters.orgId ?? actor.orgId),
      details: deviceIds ? { devices: deviceIds.length, deviceIds: deviceIds.slice(0, maxRecorded) } : { filters },
    })
    const read = (some: readonly number[]) => this.#list.read(actor, some, order)
    return Readable.from(csv(seqs, read), { objectMode: false })
  }

  /** @throws AppError `device_not_found` when none of them is found, at once */
  #named(actor: UserActor, deviceIds: readonly string[], order: Order): Steps<readonly number[]> {
    const named = { sql: 'devices.id IN (SELECT value FROM json_each(?))', parameters: [JSON.stringify(deviceIds)] }
    const wanted = allOf([withinReach(actor, 'devices').compile(q), named])
    const all = { limit: deviceIds.length, offset: 0, from: null }
    const seqs = seqsInOrder(this.#db, { ...wanted, index: '' }, order, all)
    if (seqs.length === 0) throw new AppError('device_not_found')
    return onceFound(seqs)
  }
}

// biome-ignore lint/correctness/useYield: there is nothing left to wait for
function* onceFound(seqs: readonly number[]): Steps<readonly number[]> {
  return seqs
}

type Read = (seqs: readonly number[]) => readonly ListedDevice[]

/**
 * Read only as fast as the client takes it. No transaction is held between two chunks: a device that leaves the reach of
 * the caller meanwhile is left out.
 */
async function* csv(seqs: Steps<readonly number[]>, read: Read): AsyncGenerator<string> {
  yield `${deviceColumns.join(',')}\n`
  const all = await inSteps(untilDone, seqs)
  for (let at = 0; at < all.length; at += devicesPerChunk)
    yield await inSteps(untilDone, chunk(all.slice(at, at + devicesPerChunk), read))
}

function* chunk(seqs: readonly number[], read: Read): Steps<string> {
  let text = ''
  for (let at = 0; at < seqs.length; at += devicesPerStep) {
    const devices = read(seqs.slice(at, at + devicesPerStep))
    text += csvOf(devices.map((device) => deviceColumns.map((column) => cells[column](device))))
    yield
  }
  return text
}

const cells: Record<DeviceColumn, (device: ListedDevice) => string> = {
  id: ({ id }) => id,
  hostname: ({ hostname }) => hostname,
  displayName: ({ displayName }) => displayName ?? '',
  organization: ({ orgName }) => orgName,
  site: ({ siteName }) => siteName,
  status: ({ status }) => status,
  osType: ({ osType }) => osType,
  osVersion: ({ osVersion }) => osVersion ?? '',
  lanIp: ({ lanIp }) => lanIp ?? '',
  wanIp: ({ wanIp }) => wanIp ?? '',
  lastSeenAt: ({ lastSeenAt }) => lastSeenAt ?? '',
  lastUser: ({ lastUser }) => lastUser ?? '',
  manufacturer: ({ hardware }) => hardware?.manufacturer ?? '',
  model: ({ hardware }) => hardware?.model ?? '',
  serialNumber: ({ hardware }) => hardware?.serialNumber ?? '',
  cpuModel: ({ hardware }) => hardware?.cpuModel ?? '',
  ramTotalMb: ({ hardware }) => numberText(hardware?.ramTotalMb),
  diskTotalGb: ({ hardware }) => numberText(hardware?.diskTotalGb),
  diskPercent: ({ diskPercent }) => numberText(diskPercent),
  tags: ({ tags }) => tags.join(', '),
  groups: ({ groupNames }) => groupNames.join(', '),
  agentVersion: ({ agentVersion }) => agentVersion ?? '',
  enrolledAt: ({ enrolledAt }) => enrolledAt ?? '',
}

const numberText = (value: number | null | undefined) => (value === null || value === undefined ? '' : String(value))
