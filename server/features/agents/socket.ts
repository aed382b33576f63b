import '@fastify/websocket'
import { setImmediate } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import { maxResultValues } from '../../../shared/device/commands.ts'
import { type AgentFrame, agentFrame, closeCode } from '../../../shared/device/socket.ts'
import type { DeviceActor, Origin } from '../../platform/actor.ts'
import { type Clock, second } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { apiPrefix, type Http } from '../../platform/http/http.ts'
import { hasMoreValues, isDeeperThan, maxDepth } from '../../platform/http/json-size.ts'
import type { Log } from '../../platform/log.ts'
import type { RateLimits } from '../../platform/rate-limit.ts'
import type { CommandDelivery, CommandResults } from '../commands/index.ts'
import type { Connection, Connections, DeviceWork } from '../device-connections/index.ts'
import type { Presence } from '../devices/index.ts'
import { AgentConnection, mayHoldSocket } from './agent-connection.ts'
import { type AgentDirectory, type AgentIdentity, actorOf, agentIdOf, callerKey } from './directory.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a request that opens a socket. */
    agentIdentity: AgentIdentity | null
  }
}

interface SocketServices {
  clock: Clock
  log: Log
  limits: RateLimits
  directory: AgentDirectory
  presence: Presence
  delivery: CommandDelivery
  results: CommandResults
  connections: Connections
  work: DeviceWork
}

const pingEveryMs = 30 * second
const pongWithinMs = 40 * second
/** Ten times what ten scripts that print without a pause send. */
const maxFrames = 10_000
const frameWindowMs = 10 * second

/** The live connection of an agent. Commands go out over it, results and output come in. */
export function agentSocket(http: Http, services: SocketServices): void {
  http.app.decorateRequest('agentIdentity', null)
  http.app.get(
    `${apiPrefix}/agent-ws/:agentId/ws`,
    {
      websocket: true,
      config: { access: { who: 'agent', roles: ['agent'] }, isSocket: true },
      // Every refusal comes before the upgrade, where it is cheap.
      onRequest: async (request) => {
        request.agentIdentity = admit(request, services)
      },
    },
    (socket, { agentIdentity, origin }) => {
      if (agentIdentity) serve(socket, agentIdentity, origin, services)
    },
  )
}

function admit(request: FastifyRequest, { limits, directory }: SocketServices): AgentIdentity {
  const { origin } = request
  const known = directory.find(agentIdOf(request))
  limits.consume('agent_socket', callerKey(known, origin), 'socket_rate_limited')
  try {
    const { device, identity } = directory.authenticate(known, request.headers.authorization)
    if (identity.role !== 'agent' || !mayHoldSocket(device)) throw new AppError('socket_unauthorized')
    return identity
  } catch (error) {
    throw error instanceof AppError && error.code !== 're_enrollment_required' && error.status === 401
      ? new AppError('socket_unauthorized', {}, { cause: error })
      : error
  }
}

function serve(socket: WebSocket, identity: AgentIdentity, origin: Origin, services: SocketServices): void {
  const { clock, delivery, connections, directory, log, presence, work } = services
  const { agentId, deviceId } = identity
  const connection = new AgentConnection(socket, identity, directory)
  socket.on('error', (error) => log.debug({ err: error, deviceId }, 'An agent socket failed'))
  const device = connection.holder()
  if (!device) {
    connection.shutOut()
    return
  }
  connections.add(deviceId, connection)?.close(closeCode.superseded, 'superseded')
  presence.heard({ id: deviceId, status: device.status }, actorOf(device, 'agent', origin))
  connection.send({
    type: 'connected',
    agentId,
    timestamp: clock.now(),
    capabilities: ['terminal_output_base64', 'backup_run_async', 'command_output'],
  })
  const stopPinging = keepAlive(socket, connection)
  connection.onClose(() => {
    stopPinging()
    if (connections.remove(deviceId, connection)) presence.socketClosed(deviceId)
  })
  const isFlood = floodGate(clock)
  socket.on('message', (data, isBinary) => {
    if (!connections.isCurrent(deviceId, connection)) return
    const sender = connection.holder()
    if (isFlood()) connection.close(closeCode.tooManyFrames, 'too many frames')
    else if (!sender) connection.shutOut()
    else if (!isBinary) receive(String(data), actorOf(sender, 'agent', origin), connection, services)
  })
  delivery.push(deviceId)
  work.connected.say({ deviceId })
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
function keepAlive(socket: WebSocket, connection: Connection): () => void {
  let deadline: NodeJS.Timeout | null = null
  const answered = () => {
    if (deadline) clearTimeout(deadline)
    deadline = null
  }
  const timer = setInterval(() => {
    if (connection.send({ type: 'ping' }))
      deadline ??= setTimeout(() => connection.close(closeCode.pongTimeout, 'pong timeout'), pongWithinMs)
  }, pingEveryMs)
  socket.on('message', answered)
  return () => {
    clearInterval(timer)
    answered()
  }
}

function receive(text: string, actor: DeviceActor, connection: Connection, services: SocketServices): void {
  const frame = parseFrame(text)
  if (!frame) {
    connection.send({ type: 'error', code: 'INVALID_MESSAGE', message: 'The frame is not one this server knows' })
    return
  }
  try {
    handle(frame, actor, connection, services)
  } catch (error) {
    if (!(error instanceof AppError))
      services.log.error({ err: error, deviceId: actor.deviceId }, 'A frame could not be processed')
    const message = error instanceof AppError ? error.message : 'Internal Server Error'
    connection.send({ type: 'error', code: 'PROCESSING_ERROR', message, messageType: frame.type })
  }
}

function parseFrame(text: string): AgentFrame | null {
  try {
    if (hasMoreValues(text, maxResultValues)) return null
    const frame: unknown = JSON.parse(text)
    return isDeeperThan(maxDepth, frame) ? null : (agentFrame.safeParse(frame).data ?? null)
  } catch {
    return null
  }
}

function handle(frame: AgentFrame, actor: DeviceActor, connection: Connection, services: SocketServices): void {
  switch (frame.type) {
    case 'command_result': {
      const { type: _, commandId, status, ...rest } = frame
      // "duplicate" only says that the agent has seen the id before.
      if (status !== 'duplicate') services.results.submit(actor, commandId, { ...rest, status })
      connection.send({ type: 'ack', commandId })
      return
    }
    case 'command_output': {
      const { sequence, stream, text } = frame
      services.results.addOutput(actor, frame.commandId, { sequence, stream, text })
      return
    }
    case 'update_status':
      services.presence.startUpdating(actor.deviceId, actor)
      return
    case 'backup_progress':
      services.work.progress.say({ actor, id: frame.commandId, progress: frame.progress })
      return
    default:
      // Progress of things this server does not start yet.
      return
  }
}

/** Checked in a millisecond or two. */
const checkedPerTurn = 50

/** Closes sockets whose device, organization or credential no longer allows one. Frames are checked anyway; this closes idle ones. */
export async function closeUnauthorized(connections: Connections): Promise<void> {
  let judged = 0
  for (const [, connection] of connections) {
    if (++judged % checkedPerTurn === 0) await setImmediate()
    connection.recheck()
  }
}
