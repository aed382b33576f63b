import '@fastify/websocket'
import { setImmediate } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import { type AgentFrame, agentFrame, closeCode, type ServerFrame } from '../../../shared/device/socket.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { DeviceActor } from '../../platform/actor.ts'
import { type Clock, second } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { isDeeperThan, maxDepth } from '../../platform/http/body.ts'
import { apiPrefix, type Http } from '../../platform/http/http.ts'
import type { Log } from '../../platform/log.ts'
import type { RateLimits } from '../../platform/rate-limit.ts'
import type { CommandDelivery, CommandResults } from '../commands/index.ts'
import type { Connection, Connections } from '../connections/index.ts'
import type { Presence } from '../devices/index.ts'
import { type AgentDirectory, actorOf, callerKey, type KnownDevice } from './directory.ts'

interface Deps {
  clock: Clock
  log: Log
  limits: RateLimits
  directory: AgentDirectory
  presence: Presence
  delivery: CommandDelivery
  results: CommandResults
  connections: Connections
}

const pingEveryMs = 30 * second
const pongWithinMs = 40 * second
/** What waits in a socket to a stalled agent before it counts as gone. */
const maxBuffered = 32 * 1024 * 1024

/** Ten scripts that print without a pause send a tenth of it. */
const maxFrames = 10_000
const frameWindowMs = 10 * second

/** The live connection of an agent (agent-protocol §6). Commands go out over it, results and output come in. */
export function agentSocket(http: Http, deps: Deps): void {
  http.app.get(
    `${apiPrefix}/agent-ws/:agentId/ws`,
    {
      websocket: true,
      config: { access: { who: 'agent', roles: ['agent'] }, isSocket: true },
      // Every refusal comes before the upgrade, where it is cheap.
      onRequest: async (request) => {
        request.actor = admit(request, deps)
      },
    },
    (socket, request) => serve(socket, request.actor as DeviceActor, deps),
  )
}

function admit(request: FastifyRequest, { limits, directory }: Deps): DeviceActor {
  const { agentId } = request.params as { agentId: string }
  const { origin } = request
  const known = directory.find(agentId)
  limits.consume('agent_socket', callerKey(known, origin), 'socket_rate_limited')
  try {
    const { device, role } = directory.authenticate(known, request.headers.authorization)
    if (role !== 'agent' || !mayHoldSocket(device)) throw new AppError('socket_unauthorized')
    return actorOf(device, role, origin)
  } catch (error) {
    throw error instanceof AppError && error.code !== 're_enrollment_required' && error.status === 401
      ? new AppError('socket_unauthorized', {}, { cause: error })
      : error
  }
}

const mayHoldSocket = ({ status, surface, isSuspended }: KnownDevice): boolean =>
  surface === 'full' && !isSuspended && status !== 'decommissioned' && status !== 'quarantined'

function serve(socket: WebSocket, actor: DeviceActor, deps: Deps): void {
  const { clock, delivery, connections, directory, log, presence } = deps
  const { deviceId, agentId, origin } = actor
  const connection: Connection = {
    send: (frame) => send(socket, frame),
    close: (code, reason) => socket.close(code, reason),
  }
  connections.add(deviceId, connection)?.close(closeCode.superseded, 'superseded')
  presence.heard({ id: deviceId, status: directory.find(agentId)?.status ?? 'online' }, actor)
  send(socket, {
    type: 'connected',
    agentId,
    timestamp: clock.now(),
    capabilities: ['terminal_output_base64', 'backup_run_async', 'command_output'],
  })
  const stopPinging = keepAlive(socket)
  const isFlood = floodGate(clock)
  socket.on('message', (data, isBinary) => {
    if (isFlood()) return connection.close(closeCode.tooManyFrames, 'too many frames')
    if (isBinary || !connections.isCurrent(deviceId, connection)) return undefined
    // The device may have moved, enrolled anew or been shut out since it connected.
    const device = directory.find(agentId)
    if (!device || !mayHoldSocket(device)) return connection.close(closeCode.unauthorized, 'no longer authorised')
    return receive(String(data), actorOf(device, 'agent', origin), socket, deps)
  })
  socket.on('error', (error) => log.debug({ err: error, deviceId }, 'An agent socket failed'))
  socket.on('close', () => {
    stopPinging()
    if (connections.remove(deviceId, connection)) presence.socketClosed(deviceId)
  })
  delivery.push(deviceId)
}

function send(socket: WebSocket, frame: ServerFrame): boolean {
  if (socket.readyState !== socket.OPEN) return false
  if (socket.bufferedAmount > maxBuffered) {
    socket.terminate()
    return false
  }
  socket.send(JSON.stringify(frame))
  return true
}

/** True for every frame beyond what an honest agent sends. */
function floodGate(clock: Clock): () => boolean {
  let since = clock.monotonic()
  let count = 0
  return () => {
    if (clock.monotonic() - since > frameWindowMs) {
      since = clock.monotonic()
      count = 0
    }
    return ++count > maxFrames
  }
}

/** Asks every half minute; an agent that has not answered the last question in time is gone. */
function keepAlive(socket: WebSocket): () => void {
  let deadline: NodeJS.Timeout | null = null
  const answered = () => {
    if (deadline) clearTimeout(deadline)
    deadline = null
  }
  const timer = setInterval(() => {
    send(socket, { type: 'ping' })
    deadline ??= setTimeout(() => socket.close(closeCode.pongTimeout, 'pong timeout'), pongWithinMs)
  }, pingEveryMs)
  socket.on('message', answered)
  return () => {
    clearInterval(timer)
    answered()
  }
}

function receive(text: string, actor: DeviceActor, socket: WebSocket, deps: Deps): void {
  const frame = parseFrame(text)
  if (!frame) {
    send(socket, { type: 'error', code: 'INVALID_MESSAGE', message: 'The frame is not one this server knows' })
    return
  }
  try {
    handle(frame, actor, socket, deps)
  } catch (error) {
    if (!(error instanceof AppError))
      deps.log.error({ err: error, deviceId: actor.deviceId }, 'A frame could not be processed')
    const message = error instanceof AppError ? error.message : 'Internal Server Error'
    send(socket, { type: 'error', code: 'PROCESSING_ERROR', message, messageType: frame.type })
  }
}

function parseFrame(text: string): AgentFrame | null {
  try {
    const frame: unknown = JSON.parse(text)
    return isDeeperThan(maxDepth, frame) ? null : (agentFrame.safeParse(frame).data ?? null)
  } catch {
    return null
  }
}

function handle(frame: AgentFrame, actor: DeviceActor, socket: WebSocket, deps: Deps): void {
  switch (frame.type) {
    case 'command_result': {
      const { type: _, commandId, status, ...rest } = frame
      // "duplicate" only says that the agent has seen the id before.
      if (status !== 'duplicate') deps.results.submit(actor, commandId, { ...rest, status })
      send(socket, { type: 'ack', commandId })
      return
    }
    case 'command_output': {
      const { sequence, stream, text } = frame
      deps.results.addOutput(actor, frame.commandId, { sequence, stream, text })
      return
    }
    case 'update_status':
      deps.presence.startUpdating(actor.deviceId, actor)
      return
    default:
      // Progress of things this server does not start yet.
      return
  }
}

/** As many as are looked at in a millisecond or two. */
const judgedAtOnce = 50

/** Closes sockets whose device, organization or credential no longer allows one. Frames are refused without it, too. */
export async function closeUnauthorized(
  db: Database,
  directory: AgentDirectory,
  connections: Connections,
): Promise<void> {
  let judged = 0
  for (const [deviceId, connection] of connections) {
    if (++judged % judgedAtOnce === 0) await setImmediate()
    const row = db.first(q.selectFrom('devices').select('agent_id').where('id', '=', deviceId))
    const device = row && directory.find(row.agent_id)
    if (!device || !mayHoldSocket(device)) connection.close(closeCode.unauthorized, 'no longer authorised')
  }
}
