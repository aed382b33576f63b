import type { CommandDirective } from '../../../shared/device/heartbeat.ts'
import type { Database } from '../../db/database.ts'
import type { TaskQueue, Tasks } from '../../platform/tasks/index.ts'
import type { Connections } from './connections.ts'

interface PushServices {
  db: Database
  tasks: Tasks
  connections: Connections
}

/** Work of one kind that devices are handed over their socket. Without one, its rows wait. */
interface PushedWork {
  /** Of the task, such as `backup.push`. */
  name: string
  description: string
  /** In SQL: the rows that wait, which have `id`, `device_id` and `created_at`. */
  waiting: { table: 'backup_jobs' | 'restore_jobs' | 'backup_verifications'; where: string }
  /** Null when it cannot begin now, or has failed for that. Joins a transaction. */
  begin(deviceId: string, id: string): CommandDirective | null
  /** Has it wait again, if it still runs: it has begun and could not be sent. Joins a transaction. */
  takeBack(id: string): void
}

export class DevicePushes {
  readonly #services: PushServices
  readonly #work: PushedWork
  readonly #queue: TaskQueue<{ deviceId: string }>

  constructor(services: PushServices, work: PushedWork) {
    this.#services = services
    this.#work = work
    this.#queue = services.tasks.register({
      name: work.name,
      description: work.description,
      keepMs: 0,
      byHand: ['retry', 'cancel'],
      effect: ({ deviceId }) => this.toDevice(deviceId),
    })
  }

  /** To be called in the transaction that makes a row. */
  soon(deviceId: string): void {
    this.#queue.add({ input: { deviceId } })
  }

  /** Sends what waits for the device, the oldest first. */
  toDevice(deviceId: string): void {
    const { db, connections } = this.#services
    if (!connections.isConnected(deviceId)) return
    const { table, where } = this.#work.waiting
    const waiting = db
      .statement<string>(`SELECT id FROM ${table} WHERE device_id = ? AND ${where} ORDER BY created_at, id`)
      .pluck()
      .all(deviceId)
    for (const id of waiting) this.#push(deviceId, id)
  }

  /** Sends what waits for any device that is connected. */
  toAll(): void {
    const { table, where } = this.#work.waiting
    const devices = this.#services.db
      .statement<string>(`SELECT DISTINCT device_id FROM ${table} WHERE ${where}`)
      .pluck()
    for (const deviceId of devices.all()) this.toDevice(deviceId)
  }

  #push(deviceId: string, id: string): void {
    const { db, connections } = this.#services
    const directive = db.transaction(() => this.#work.begin(deviceId, id))
    if (!directive || connections.send(deviceId, directive)) return
    db.transaction(() => this.#work.takeBack(id))
  }
}
