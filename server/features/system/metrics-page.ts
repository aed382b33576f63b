import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, Registry } from '@prometheus-io/client'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { LiveEvents } from '../../platform/live.ts'
import type { Connections } from '../device-connections/index.ts'

/** How often the delay of the event loop is looked at; Node counts this pause as delay, too. */
const samplingMs = 10

/** The appliance in numbers, in the text format Prometheus reads. Each number is read when the page is. */
export class MetricsPage {
  readonly #registry = new Registry()
  readonly #delay = monitorEventLoopDelay({ resolution: samplingMs })

  constructor(db: Database, connections: Connections, live: LiveEvents) {
    this.#delay.enable()
    this.#addDevices(db)
    this.#gauge('homeport_agent_connections', 'Agents with an open socket', () => connections.count)
    this.#gauge('homeport_event_streams', 'Browsers with a live stream', () => live.count)
    this.#addDelays()
    this.#gauge('process_resident_memory_bytes', 'Resident memory', () => process.memoryUsage().rss)
    this.#gauge('process_uptime_seconds', 'Time since start', () => process.uptime())
    this.#addCpu()
  }

  text(): Promise<string> {
    return this.#registry.metrics()
  }

  #gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.set(read())
      },
    })
  }

  #addDevices(db: Database): void {
    new Gauge({
      name: 'homeport_devices',
      help: 'Devices by status',
      labelNames: ['status'],
      registers: [this.#registry],
      collect() {
        this.reset()
        for (const { status, total } of devicesByStatus(db)) this.set({ status }, total)
      },
    })
  }

  #addDelays(): void {
    const help = 'Event loop delay since the last reading'
    this.#gauge('homeport_event_loop_delay_p99_seconds', help, () => secondsLate(this.#delay.percentile(99)))
    // The page is read in this order: nobody looks at the delay after it starts over.
    this.#gauge('homeport_event_loop_delay_max_seconds', help, () => {
      const max = secondsLate(this.#delay.max)
      this.#delay.reset()
      return max
    })
  }

  #addCpu(): void {
    new Counter({
      name: 'process_cpu_seconds_total',
      help: 'Processor time used',
      registers: [this.#registry],
      collect() {
        const { user, system } = process.cpuUsage()
        this.reset()
        this.inc((user + system) / 1e6)
      },
    })
  }
}

const devicesByStatus = (db: Database) =>
  db.all(
    q
      .selectFrom('devices')
      .select(['status', (select) => select.fn.countAll<number>().as('total')])
      .groupBy('status'),
  )

const secondsLate = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - samplingMs / 1000)
