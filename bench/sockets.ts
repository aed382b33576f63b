import { once } from 'node:events'
import { WebSocket } from 'ws'
import { type ServerFrame, socketPath } from '../shared/device/socket.ts'
import { percentiles } from './load.ts'
import { credentialsOf } from './seed.ts'
import { passSecondFactor, type World } from './world.ts'

export interface SocketReport {
  open: number
  /** Milliseconds for all of them. */
  openedIn: number
  commands: number
  /** From the click to the frame at the device, and to the server's word that it has the result; milliseconds. */
  delivered: { p50: number; p99: number }
  finished: { p50: number; p99: number }
}

const commands = 500
const concurrentCommands = 50

/** A socket for each device the world names, and commands to some of them, one after the other. */
export async function measureSockets(world: World): Promise<SocketReport> {
  passSecondFactor(world)
  const began = performance.now()
  const sockets: WebSocket[] = []
  for (let n = 0; n < world.deviceIds.length; n += concurrentCommands)
    sockets.push(
      ...(await Promise.all(world.deviceIds.slice(n, n + concurrentCommands).map((_, at) => open(world, n + at)))),
    )
  const openedIn = performance.now() - began
  const [delivered, finished]: [number[], number[]] = [[], []]
  for (let n = 0; n < commands; n++) {
    const times = await runCommand(world, world.deviceIds[n] as string, sockets[n] as WebSocket)
    delivered.push(times.delivered)
    finished.push(times.finished)
  }
  for (const socket of sockets) socket.terminate()
  return {
    open: sockets.length,
    openedIn,
    commands,
    delivered: percentiles(delivered),
    finished: percentiles(finished),
  }
}

async function open({ origin }: World, n: number): Promise<WebSocket> {
  const { agentId, token } = credentialsOf(n)
  const socket = new WebSocket(`${origin.replace('http', 'ws')}${socketPath(agentId)}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  await once(socket, 'message')
  return socket
}

async function runCommand({ origin, headers }: World, deviceId: string, socket: WebSocket) {
  const clicked = performance.now()
  const ended = new Promise<{ delivered: number; finished: number }>((resolve) => {
    let delivered = 0
    socket.on('message', function take(data) {
      const frame = JSON.parse(String(data)) as ServerFrame
      if (frame.type === 'ack') {
        socket.off('message', take)
        resolve({ delivered, finished: performance.now() - clicked })
      } else if ('payload' in frame) {
        delivered = performance.now() - clicked
        socket.send(JSON.stringify({ type: 'command_result', commandId: frame.id, status: 'completed', exitCode: 0 }))
      }
    })
  })
  const reply = await fetch(`${origin}/api/v1/devices/${deviceId}/commands`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'refresh_inventory' }),
  })
  if (reply.status !== 201) throw new Error(`a command was answered ${reply.status}: ${await reply.text()}`)
  return ended
}
