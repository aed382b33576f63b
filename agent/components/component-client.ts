import { createWriteStream, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { jittered } from '../../shared/backoff.ts'
import { type ComponentName, platformOf } from '../../shared/components.ts'
import {
  type ComponentOffer,
  componentOffer,
  downloadComponentFile,
  readComponentOffer,
} from '../../shared/device/components.ts'
import { architecture, osType } from '../collectors/identity.ts'
import { reasonOf } from '../failure.ts'
import type { Log } from '../log.ts'
import type { ServerClient } from '../server-client.ts'
import type { FetchProgram } from './delivered-program.ts'

/** What the appliance has for this device, and how it gets here. */
export interface ComponentClient {
  offer(): Promise<ComponentOffer | null>
  fetch: FetchProgram
}

const mostAttempts = 10
const pauseMs = 5000
const reply = z.object({ offer: componentOffer.nullable() })

interface Using {
  client: ServerClient
  agentId: string
  component: ComponentName
  log: Log
  signal: AbortSignal
}

/** Asking again would not help. */
class Refused extends Error {}

export function createComponentClient({ client, agentId, component, log, signal }: Using): ComponentClient {
  const platform = platformOf(osType(), architecture())

  /** @returns null when there is all of it, else how long to wait before the next attempt, ms */
  async function fetchRest({ version, bytes }: ComponentOffer, file: string): Promise<number | null> {
    const from = statSync(file, { throwIfNoEntry: false })?.size ?? 0
    if (from >= bytes) return null
    const params = { agentId, component, version, platform }
    const headers: Record<string, string> = from > 0 ? { range: `bytes=${from}-` } : {}
    const { status, retryAfterMs } = await client.download(downloadComponentFile, { params }, headers, (answered) => {
      if (answered === 206) return createWriteStream(file, { flags: 'a', mode: 0o600 })
      return answered === 200 ? createWriteStream(file, { flags: 'w', mode: 0o600 }) : null
    })
    if (status === 200 || status === 206) return null
    if (status >= 500 || status === 429) return retryAfterMs ?? pauseMs
    throw new Refused(`the server answered ${status}`)
  }

  return {
    async offer() {
      const input = { params: { agentId, component }, query: { platform } }
      const { status, json } = await client.call(readComponentOffer, input, { retries: 0 })
      // An appliance of an older version knows nothing of it.
      if (status === 404) return null
      if (status !== 200) throw new Error(`the server answered ${status}`)
      return reply.parse(json).offer
    },
    async fetch(offer, file) {
      for (let attempt = 1; ; attempt++) {
        const wait = await fetchRest(offer, file).catch((error) => {
          if (error instanceof Refused || attempt >= mostAttempts || signal.aborted) throw error
          log.debug(`components: ${reasonOf(error)}, going on in a moment`)
          return pauseMs
        })
        if (wait === null) return
        if (attempt >= mostAttempts) throw new Error('the appliance is too busy')
        await sleep(jittered(wait, 0.5), undefined, { signal })
      }
    },
  }
}
