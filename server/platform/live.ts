import { setImmediate, setTimeout } from 'node:timers/promises'
import type { LiveEvent } from '../../shared/api/events.ts'
import type { Permission } from '../../shared/permissions.ts'
import { type EventOwner, type Identity, reachesEvent, reachesOrg, reachesSite } from './actor.ts'

type DeviceEvent = Extract<LiveEvent, { deviceId: string }>

export interface Subscriber {
  /** The session that opened the stream. */
  sessionId: string
  /** The reach of the listener, looked up anew for every event; null once the session is gone or has other rights. */
  identity(): Identity | null
  /** The device whose details this stream also carries. */
  deviceId: string | undefined
  send(event: LiveEvent): void
  /** Sends a last event and closes. */
  dismiss(): void
  close(): void
}

const onlyForItsDevice = new Set<LiveEvent['type']>([
  'device.metrics',
  'device.inventory',
  'command.changed',
  'command.output',
])

/** Events that take more than the right to see devices. */
const permissionsFor: Partial<Record<LiveEvent['type'], readonly Permission[]>> = {
  'backup.job': ['organizations:read', 'backup:read'],
  'backup.restore': ['backup:read'],
  'backup.recovery_readiness_low': ['organizations:read', 'backup:read'],
  'backup.sla': ['organizations:read', 'backup:read'],
  'backup.sla_breach': ['organizations:read', 'backup:read'],
  'backup.verification': ['organizations:read', 'backup:read'],
  'backup.verification_passed': ['organizations:read', 'backup:read'],
  'backup.verification_failed': ['organizations:read', 'backup:read'],
}

const mayRead = ({ permissions }: Identity, { type }: LiveEvent): boolean =>
  permissionsFor[type]?.some((permission) => permissions.has(permission)) ?? true

/** One a tab, with room for many tabs. */
const maxStreamsOfSession = 30

/** Looking up a listener takes a tenth of a millisecond. */
const sweptPerTurn = 50
const restMs = 250

/** Where a device stands, and the groups it is in. */
export interface Place {
  orgId: string
  siteId: string
  groups: readonly string[]
}

/** Sends browsers what changed, each one only what its user may see. Events are not kept: a browser that reconnects reads again. */
export class LiveEvents {
  readonly #groupsOf: (deviceId: string) => readonly string[]
  readonly #subscribers = new Set<Subscriber>()
  /** Owners of new audit events that no listener has been notified of yet. */
  readonly #written = new Map<string, EventOwner>()
  #isTelling = false
  #isSweepDue = false
  #isSweeping = false

  /** `groupsOf` is only called while a listener is confined to groups. */
  constructor(groupsOf: (deviceId: string) => readonly string[]) {
    this.#groupsOf = groupsOf
  }

  /** A session that opens too many streams loses its oldest. */
  subscribe(subscriber: Subscriber): () => void {
    const own = [...this.#subscribers].filter(({ sessionId }) => sessionId === subscriber.sessionId)
    if (own.length >= maxStreamsOfSession) own[0]?.close()
    this.#subscribers.add(subscriber)
    return () => this.#subscribers.delete(subscriber)
  }

  /** Whether any listener watches the details of this device; spares building events that nobody gets. */
  isWatched(deviceId: string): boolean {
    for (const subscriber of this.#subscribers) if (subscriber.deviceId === deviceId) return true
    return false
  }

  /** `groups` are those a deleted device was in. */
  publish(event: DeviceEvent, groups?: readonly string[]): void {
    const { type, deviceId, orgId, siteId } = event
    let known = groups
    const groupsOf = () => {
      known ??= this.#groupsOf(deviceId)
      return known
    }
    const isMeant = (subscriber: Subscriber) => !onlyForItsDevice.has(type) || subscriber.deviceId === deviceId
    for (const [subscriber, identity] of this.#listeners(isMeant))
      if (mayRead(identity, event) && reaches(identity, orgId, siteId, groupsOf)) subscriber.send(event)
  }

  /** Sent only to listeners who gain or lose sight of a device; for all others it only changed. */
  moved(deviceId: string, from: Place, to: Place): void {
    for (const [subscriber, identity] of this.#listeners()) {
      const [was, is] = [from, to].map(({ orgId, siteId, groups }) => reaches(identity, orgId, siteId, () => groups))
      if (was && !is) subscriber.send({ type: 'device.removed', deviceId, orgId: from.orgId, siteId: from.siteId })
      if (is && !was) subscriber.send({ type: 'device.changed', deviceId, orgId: to.orgId, siteId: to.siteId })
    }
  }

  /** What users see of the organization may have changed. */
  organizationChanged(orgId: string): void {
    for (const [subscriber, identity] of this.#listeners())
      if (reachesOrg(identity, orgId)) subscriber.send({ type: 'organization.changed', orgId })
  }

  /** Promises about backups of the organization are no longer kept, or kept again. */
  slaChanged(orgId: string): void {
    const event = { type: 'backup.sla', orgId } as const
    for (const [subscriber, identity] of this.#listeners())
      if (mayRead(identity, event) && reachesOrg(identity, orgId)) subscriber.send(event)
  }

  /** The log of this owner has new events: listeners who may read it are notified soon, once for many events. */
  async eventWritten(owner: EventOwner): Promise<void> {
    if (this.#subscribers.size === 0) return
    this.#written.set(`${owner.partner_id} ${owner.org_id}`, owner)
    if (this.#isTelling) return
    this.#isTelling = true
    await setTimeout(restMs, undefined, { ref: false })
    this.#isTelling = false
    const owners = [...this.#written.values()]
    this.#written.clear()
    let told = 0
    for (const subscriber of [...this.#subscribers]) {
      if (++told % sweptPerTurn === 0) await setImmediate()
      const identity = this.#subscribers.has(subscriber) ? subscriber.identity() : null
      if (identity?.permissions.has('audit:read') && owners.some((owner) => reachesEvent(identity, owner)))
        subscriber.send({ type: 'audit.written' })
    }
  }

  /** Whether any listener depends on which devices are in this group. */
  isGroupWatched(groupId: string): boolean {
    return this.#listeners().some(([, { groups }]) => groups?.has(groupId))
  }

  /** The listeners that still may listen; the others are dismissed. */
  #listeners(isMeant: (subscriber: Subscriber) => boolean = () => true): [Subscriber, Identity][] {
    return [...this.#subscribers].filter(isMeant).flatMap((subscriber): [Subscriber, Identity][] => {
      const identity = subscriber.identity()
      if (!identity) subscriber.dismiss()
      return identity ? [[subscriber, identity]] : []
    })
  }

  /** Dismisses listeners that may not listen any more; pauses between sweeps, however often it is called. */
  async sweep(): Promise<void> {
    this.#isSweepDue = true
    if (this.#isSweeping) return
    this.#isSweeping = true
    try {
      while (this.#isSweepDue) {
        this.#isSweepDue = false
        await this.#sweepOnce()
        await setTimeout(restMs, undefined, { ref: false })
      }
    } finally {
      this.#isSweeping = false
    }
  }

  async #sweepOnce(): Promise<void> {
    let swept = 0
    for (const subscriber of [...this.#subscribers]) {
      if (++swept % sweptPerTurn === 0) await setImmediate()
      if (this.#subscribers.has(subscriber) && !subscriber.identity()) subscriber.dismiss()
    }
  }

  get count(): number {
    return this.#subscribers.size
  }

  closeAll(): void {
    for (const subscriber of this.#subscribers) subscriber.close()
  }
}

const reaches = (identity: Identity, orgId: string, siteId: string, groupsOf: () => readonly string[]): boolean =>
  reachesOrg(identity, orgId) &&
  reachesSite(identity, siteId) &&
  (identity.groups === null || groupsOf().some((id) => identity.groups?.has(id)))
