import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { LiveEvents } from '../../platform/live.ts'
import type { Connections } from '../device-connections/index.ts'

/** How often the delay of the event loop is looked at; Node counts this pause as delay, too. */
const samplingMs = 10

/** The appliance in numbers, in the text format Prometheus reads. */
export class MetricsPage {
  readonly #db: Database
  readonly #connections: Connections
  readonly #live: LiveEvents
  readonly #delay = monitorEventLoopDelay({ resolution: samplingMs })

  constructor(db: Database, connections: Connections, live: LiveEvents) {
    this.#db = db
    this.#connections = connections
    this.#live = live
    this.#delay.enable()
  }

  text(): string {
    const statuses = this.#db.all(
      q
        .selectFrom('devices')
        .select(['status', (select) => select.fn.countAll<number>().as('total')])
        .groupBy('status'),
    )
    const memory = process.memoryUsage()
    const cpu = process.cpuUsage()
    return [
      ...gauge(
        'homeport_devices',
        'Devices by status',
        statuses.map(({ status, total }) => [`{status="${status}"}`, total]),
      ),
      ...gauge('homeport_agent_connections', 'Agents with an open socket', [['', this.#connections.count]]),
      ...gauge('homeport_event_streams', 'Browsers with a live stream', [['', this.#live.count]]),
      ...gauge('homeport_event_loop_delay_p99_seconds', 'Event loop delay since the last reading', [
        ['', secondsLate(this.#delay.percentile(99))],
      ]),
      ...gauge('homeport_event_loop_delay_max_seconds', 'Event loop delay since the last reading', [
        ['', this.#readMax()],
      ]),
      ...gauge('process_resident_memory_bytes', 'Resident memory', [['', memory.rss]]),
      ...gauge('process_uptime_seconds', 'Time since start', [['', process.uptime()]]),
      ...gauge('process_cpu_seconds_total', 'Processor time used', [['', (cpu.user + cpu.system) / 1e6]], 'counter'),
      '',
    ].join('\n')
  }

  #readMax(): number {
    const max = secondsLate(this.#delay.max)
    this.#delay.reset()
    return max
  }
}

const secondsLate = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - samplingMs / 1000)

const gauge = (name: string, help: string, samples: [labels: string, value: number][], type = 'gauge') => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
  ...samples.map(([labels, value]) => `${name}${labels} ${value}`),
]
