import type { WebSocket } from 'ws'
import { closeCode, type ServerFrame } from '../../../shared/device/socket.ts'
import type { Connection } from '../device-connections/index.ts'
import type { AgentDirectory, AgentIdentity, KnownDevice } from './directory.ts'

/** What waits in a socket to a stalled agent before it counts as gone. */
const maxBuffered = 32 * 1024 * 1024

export const mayHoldSocket = ({ status, surface, isSuspended }: KnownDevice): boolean =>
  surface === 'full' && !isSuspended && status !== 'decommissioned' && status !== 'quarantined'

/** A socket of the device and the token that opened it: it serves nobody else, and ends with either. */
export class AgentConnection implements Connection {
  readonly #socket: WebSocket
  readonly #identity: AgentIdentity
  readonly #directory: AgentDirectory
  #onClose = () => {}

  constructor(socket: WebSocket, identity: AgentIdentity, directory: AgentDirectory) {
    this.#socket = socket
    this.#identity = identity
    this.#directory = directory
  }

  /** Called when the server closes the socket or learns that it is closed; maybe twice. */
  onClose(listener: () => void): void {
    this.#onClose = listener
    this.#socket.on('close', listener)
  }

  /** The device as it is now: it may have moved, enrolled anew or been shut out since it connected. */
  holder(): KnownDevice | undefined {
    const device = this.#directory.holderOf(this.#identity)
    return device && mayHoldSocket(device) ? device : undefined
  }

  recheck(): boolean {
    const isHeld = this.holder() !== undefined
    if (!isHeld) this.shutOut()
    return isHeld
  }

  shutOut(): void {
    this.close(closeCode.unauthorized, 'no longer authorised')
  }

  send(frame: ServerFrame): boolean {
    return this.recheck() && this.#write(frame)
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason)
    // An agent that never answers the close must not count as connected until then.
    this.#onClose()
  }

  #write(frame: ServerFrame): boolean {
    if (this.#socket.readyState !== this.#socket.OPEN) return false
    if (this.#socket.bufferedAmount > maxBuffered) {
      this.#socket.terminate()
      return false
    }
    this.#socket.send(JSON.stringify(frame))
    return true
  }
}
