import { setImmediate, setTimeout } from 'node:timers/promises'
import type { LiveEvent } from '../../shared/api/events.ts'
import { type Identity, reachesOrg, reachesSite } from './actor.ts'

type TenantEvent = Exclude<LiveEvent, { type: 'hello' | 'goodbye' }>

export interface Subscriber {
  /** The session that opened the stream. */
  sessionId: string
  /** Who listens, looked up anew for every event; null once the session is gone. */
  identity(): Identity | null
  /** The device whose details this stream also carries. */
  deviceId: string | undefined
  send(event: LiveEvent): void
  /** Says goodbye and closes: the session is gone, or may not listen any more. */
  dismiss(): void
  close(): void
}

const onlyForItsDevice = new Set<LiveEvent['type']>([
  'device.metrics',
  'device.inventory',
  'command.changed',
  'command.output',
])

/** One a tab, with room for many tabs. */
const maxStreamsOfSession = 30

/** Looking somebody up anew takes a tenth of a millisecond. */
const sweptAtOnce = 50
const restMs = 250

/** Tells browsers what changed, each one only what it may see. Nothing is kept: who was away reads again. */
export class LiveEvents {
  readonly #subscribers = new Set<Subscriber>()
  #isSweepDue = false
  #isSweeping = false

  /** A session that opens too many streams loses its oldest. */
  subscribe(subscriber: Subscriber): () => void {
    const own = [...this.#subscribers].filter(({ sessionId }) => sessionId === subscriber.sessionId)
    if (own.length >= maxStreamsOfSession) own[0]?.close()
    this.#subscribers.add(subscriber)
    return () => this.#subscribers.delete(subscriber)
  }

  /** Does anybody watch this device's details? Spares building events nobody gets. */
  isWatched(deviceId: string): boolean {
    for (const subscriber of this.#subscribers) if (subscriber.deviceId === deviceId) return true
    return false
  }

  publish(event: TenantEvent): void {
    for (const subscriber of this.#subscribers) {
      if (onlyForItsDevice.has(event.type) && subscriber.deviceId !== event.deviceId) continue
      const identity = subscriber.identity()
      if (!identity) subscriber.dismiss()
      else if (reachesOrg(identity, event.orgId) && reachesSite(identity, event.siteId)) subscriber.send(event)
    }
  }

  /** Dismisses whoever may not listen any more; asked for again and again, it rests in between. */
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
      if (++swept % sweptAtOnce === 0) await setImmediate()
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
