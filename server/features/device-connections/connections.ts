import type { ServerFrame } from '../../../shared/device/socket.ts'

export interface Connection {
  send(frame: ServerFrame): boolean
  close(code: number, reason: string): void
  /** False when its holder lost the right to it, which closes it. */
  recheck(): boolean
}

/** The devices whose agent holds a socket right now; one socket a device, the newest wins. */
export class Connections {
  readonly #byDevice = new Map<string, Connection>()

  /** Returns the connection it replaces. */
  add(deviceId: string, connection: Connection): Connection | undefined {
    const former = this.#byDevice.get(deviceId)
    this.#byDevice.set(deviceId, connection)
    return former
  }

  /** True when this was still the device's current connection. */
  remove(deviceId: string, connection: Connection): boolean {
    return this.#byDevice.get(deviceId) === connection && this.#byDevice.delete(deviceId)
  }

  isCurrent(deviceId: string, connection: Connection): boolean {
    return this.#byDevice.get(deviceId) === connection
  }

  isConnected(deviceId: string): boolean {
    return this.#byDevice.has(deviceId)
  }

  /** False when there is no connection or it would not take the frame. */
  send(deviceId: string, frame: ServerFrame): boolean {
    return this.#byDevice.get(deviceId)?.send(frame) ?? false
  }

  close(deviceId: string, code: number, reason: string): void {
    this.#byDevice.get(deviceId)?.close(code, reason)
  }

  *[Symbol.iterator](): IterableIterator<[string, Connection]> {
    yield* this.#byDevice
  }

  get count(): number {
    return this.#byDevice.size
  }
}
