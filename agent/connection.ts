import WebSocket from 'ws'
import type { CommandDirective } from '../shared/device/heartbeat.ts'
import { type AgentFrame, closeCode, type ServerFrame, serverFrame, socketPath } from '../shared/device/socket.ts'
import { pause } from '../shared/node/pause.ts'
import { errorCode } from '../shared/thrown.ts'
import { createBackoff } from './backoff.ts'
import { reasonOf } from './failure.ts'
import { type Trust, tlsOptions } from './http.ts'
import type { Log } from './log.ts'
import { parseJson } from './server-client.ts'
import type { AgentState } from './state.ts'

export interface Connection {
  /** Keeps a socket to the server open until the signal. */
  run(signal: AbortSignal): Promise<void>
  /** @returns false when no socket is open or the frame is too large for the server */
  send(frame: AgentFrame): boolean
  /** Whether the server announced this capability. */
  can(capability: string): boolean
}

interface Using {
  state: Pick<AgentState, 'serverUrl' | 'agentId' | 'authToken'>
  trust: Trust
  log: Log
  onConnected(): void
  onCommand(directive: CommandDirective): void
  onAck(commandId: string): void
}

const stableAfterMs = 30_000
const pingEveryMs = 54_000
const pongWithinMs = 60_000
const closeWithinMs = 2000
const largestIncomingBytes = 16 * 1024 * 1024
const largestOutgoingBytes = 5_000_000 - 65_536
/** A server that is restarted or updated is back within minutes, and failed attempts cost little: retry often. */
const restart = { attempts: 40, capMs: 5000 }

const meaning: Record<number, string> = {
  [closeCode.unauthorized]: 'the server no longer accepts this device',
  [closeCode.superseded]: 'another connection of this device took over; does a second agent run with this identity?',
  [closeCode.pongTimeout]: 'the server heard nothing for too long',
  [closeCode.moved]: 'the device was moved to another organization',
  [closeCode.decommissioned]: 'the device was decommissioned',
}

const turnedDown =
  'the server takes no connection of this device now, as while its organization is closing; heartbeats go on, and so do silent attempts'

function endOf(code: number, failure: Error | undefined): string {
  // The library tells the answer to an upgrade by a sentence only.
  if (/server response: 40[13]\b/.test(failure?.message ?? '')) return turnedDown
  return meaning[code] ?? (failure ? reasonOf(failure) : `closed with code ${code}`)
}

interface Ending {
  livedMs: number
  reason: string
  /** The server went away, rather than refusing the agent. */
  isServerGone: boolean
}

export function createConnection(using: Using): Connection {
  const { state, trust, log } = using
  const backoff = createBackoff({ firstMs: 1000, capMs: 60_000 })
  let socket: WebSocket | undefined
  let capabilities: string[] = []

  /** One connection from opening to close. */
  function session(signal: AbortSignal): Promise<Ending> {
    const url = new URL(socketPath(state.agentId), state.serverUrl.replace(/^http/, 'ws'))
    const opening = new WebSocket(url, {
      headers: { authorization: `Bearer ${state.authToken}` },
      handshakeTimeout: 20_000,
      maxPayload: largestIncomingBytes,
      perMessageDeflate: false,
      ...tlsOptions(trust),
    })
    const close = () => {
      opening.close(1001)
      setTimeout(() => opening.terminate(), closeWithinMs).unref()
    }
    signal.addEventListener('abort', close, { once: true })
    return new Promise((resolve) => {
      let openedAt: number | undefined
      let failure: Error | undefined
      let stopPinging = () => {}
      opening.on('open', () => {
        openedAt = performance.now()
        socket = opening
        stopPinging = keepAlive(opening)
      })
      opening.on('message', (data, isBinary) => {
        if (!isBinary) receive(String(data))
      })
      opening.on('error', (error) => {
        failure = error
      })
      opening.on('close', (code) => {
        signal.removeEventListener('abort', close)
        stopPinging()
        if (socket === opening) socket = undefined
        capabilities = []
        const livedMs = openedAt === undefined ? 0 : performance.now() - openedAt
        const reason = endOf(code, failure)
        const isRefusal = code in meaning
        resolve({ livedMs, reason, isServerGone: openedAt === undefined ? isDown(failure) : !isRefusal })
      })
    })
  }

  function receive(text: string): void {
    const frame = serverFrame.safeParse(parseJson(text))
    try {
      if (frame.success) handle(frame.data)
      else log.debug('socket: a frame that says nothing to this agent')
    } catch (error) {
      log.error(`socket: ${reasonOf(error)}`) // a full disk, for one; the next frame may fare better
    }
  }

  function handle(frame: ServerFrame): void {
    if ('payload' in frame) using.onCommand(frame)
    else if (frame.type === 'ping') send({ type: 'pong', timestamp: Date.now() })
    else if (frame.type === 'ack') using.onAck(frame.commandId)
    else if (frame.type === 'error') log.warn(`socket: the server says ${frame.code}: ${frame.message}`)
    else welcome(frame.capabilities)
  }

  function welcome(offered: string[]): void {
    capabilities = offered
    log.info('socket: connected')
    using.onConnected()
  }

  function send(frame: AgentFrame): boolean {
    if (socket?.readyState !== WebSocket.OPEN) return false
    const text = JSON.stringify(frame)
    if (Buffer.byteLength(text) > largestOutgoingBytes) return false
    socket.send(text)
    return true
  }

  return {
    send,
    can: (capability) => capabilities.includes(capability),
    async run(signal) {
      let lastReason = ''
      while (!signal.aborted) {
        const ending = await session(signal)
        if (signal.aborted) return
        if (ending.livedMs > stableAfterMs) backoff.reset()
        const isBrief = ending.isServerGone && backoff.attempts < restart.attempts
        const wait = backoff.next(isBrief ? restart.capMs : undefined)
        const isKnown = ending.reason === turnedDown && lastReason === turnedDown
        lastReason = ending.reason
        log[isKnown ? 'debug' : 'warn'](`socket: ${ending.reason}; next attempt in ${(wait / 1000).toFixed(1)} s`)
        await pause(wait, signal)
      }
    },
  }
}

const isDown = (error: Error | undefined) => ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes(errorCode(error) ?? '')

/** Drops a link that no longer answers; data alone does not prove that ours arrives. @returns how to stop */
function keepAlive(socket: WebSocket): () => void {
  let deadline: NodeJS.Timeout | undefined
  const pings = setInterval(() => {
    socket.ping()
    deadline ??= setTimeout(() => socket.terminate(), pongWithinMs)
  }, pingEveryMs)
  socket.on('pong', () => {
    clearTimeout(deadline)
    deadline = undefined
  })
  return () => {
    clearInterval(pings)
    clearTimeout(deadline)
  }
}
