import { jittered } from '../shared/backoff.ts'
import {
  uploadConnections,
  uploadDisks,
  uploadHardware,
  uploadNetwork,
  uploadSoftware,
} from '../shared/device/uploads.ts'
import type { Endpoint, InputOf } from '../shared/endpoint.ts'
import { readConnections } from './collectors/connections.ts'
import { readDisks } from './collectors/disks.ts'
import { readHardware } from './collectors/hardware.ts'
import { readAdapters } from './collectors/network.ts'
import { readSoftware } from './collectors/software.ts'
import { reasonOf } from './failure.ts'
import type { Log } from './log.ts'
import type { ServerClient } from './server-client.ts'

export interface Refresh {
  /** Rows sent, by part. */
  sent: Record<string, number>
  problems: string[]
}

export interface Inventory {
  /** Collects and sends everything now. */
  refresh(): Promise<Refresh>
  /** The same for the parts whose time has come. */
  refreshDue(): Promise<Refresh>
}

interface Part {
  name: string
  everyMs: number
  /** Collects and sends. @returns how many rows */
  send(): Promise<number>
}

const minute = 60_000

export function createInventory(client: ServerClient, agentId: string, log: Log): Inventory {
  const dueAt = new Map<string, number>()
  let last: Promise<unknown> = Promise.resolve()

  /** One after the other: collecting takes processor time the device's user would miss. */
  async function send(wanted: Part[]): Promise<Refresh> {
    const outcome: Refresh = { sent: {}, problems: [] }
    for (const part of wanted) {
      dueAt.set(part.name, performance.now() + jittered(part.everyMs, 0.05))
      try {
        outcome.sent[part.name] = await part.send()
      } catch (error) {
        outcome.problems.push(`${part.name}: ${reasonOf(error)}`)
        log.warn(`inventory: ${part.name}: ${reasonOf(error)}`)
      }
    }
    if (Object.keys(outcome.sent).length > 0) log.info(`inventory: sent ${JSON.stringify(outcome.sent)}`)
    return outcome
  }

  /** Never two rounds at a time. */
  function enqueue(choose: () => Part[]): Promise<Refresh> {
    const round = last.then(() => send(choose()))
    last = round
    return round
  }

  const parts = inventoryParts(client, agentId)
  return {
    refresh: () => enqueue(() => parts),
    refreshDue: () => enqueue(() => parts.filter(({ name }) => performance.now() >= (dueAt.get(name) ?? 0))),
  }
}

function inventoryParts(client: ServerClient, agentId: string): Part[] {
  async function upload<E extends Endpoint>(endpoint: E, input: InputOf<E>): Promise<void> {
    const { status } = await client.call(endpoint, input)
    if (status < 200 || status > 299) throw new Error(`the server answered ${status}`)
  }
  const params = { agentId }
  return [
    {
      name: 'hardware',
      everyMs: 24 * 60 * minute,
      async send() {
        await upload(uploadHardware, { params, body: await readHardware() })
        return 1
      },
    },
    {
      name: 'disks',
      everyMs: 15 * minute,
      async send() {
        const disks = await readDisks()
        await upload(uploadDisks, { params, body: { disks } })
        return disks.length
      },
    },
    {
      name: 'network',
      everyMs: 15 * minute,
      async send() {
        const adapters = await readAdapters()
        await upload(uploadNetwork, { params, body: { adapters } })
        return adapters.length
      },
    },
    {
      name: 'software',
      everyMs: 15 * minute,
      async send() {
        const software = await readSoftware()
        await upload(uploadSoftware, { params, body: { software } })
        return software.length
      },
    },
    {
      name: 'connections',
      everyMs: 15 * minute,
      async send() {
        const connections = await readConnections()
        if (connections.length > 0) await upload(uploadConnections, { params, body: { connections } })
        return connections.length
      },
    },
  ]
}
