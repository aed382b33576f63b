import type { DeviceCommand } from '../../shared/api/commands.ts'
import type { DeviceRow, MetricPoint } from '../../shared/api/devices.ts'
import type { LiveEvent } from '../../shared/api/events.ts'

/** Changes that live events make to cached data. Pure, and objects that do not change keep their identity. */

type StatusEvent = Extract<LiveEvent, { type: 'device.status' }>
type MetricsEvent = Extract<LiveEvent, { type: 'device.metrics' }>
type OutputEvent = Extract<LiveEvent, { type: 'command.output' }>

type LiveFields = Pick<DeviceRow, 'id' | 'status' | 'lastSeenAt' | 'cpuPercent' | 'ramPercent'>

export const withStatus = <Row extends LiveFields>(row: Row, event: StatusEvent): Row =>
  row.id === event.deviceId ? { ...row, status: event.status, lastSeenAt: event.lastSeenAt ?? row.lastSeenAt } : row

export function withMetrics<Row extends LiveFields>(row: Row, event: MetricsEvent): Row {
  if (row.id !== event.deviceId) return row
  const load = event.point && { cpuPercent: event.point.cpu, ramPercent: event.point.ram }
  return { ...row, lastSeenAt: event.lastSeenAt, ...load }
}

export function patchPage<Page extends { data: Row[] }, Row extends { id: string }>(
  page: Page,
  id: string,
  patch: (row: Row) => Row,
): Page {
  return page.data.some((row) => row.id === id)
    ? { ...page, data: page.data.map((row) => (row.id === id ? patch(row) : row)) }
    : page
}

/** The series with a new point at its end and without the points older than `windowMs`. */
export function appendPoint(points: MetricPoint[], point: MetricPoint, windowMs: number): MetricPoint[] {
  const last = points.at(-1)
  if (last && last.timestamp >= point.timestamp) return points
  const oldest = new Date(point.timestamp).getTime() - windowMs
  return [...points.filter((kept) => new Date(kept.timestamp).getTime() >= oldest), point]
}

export interface OutputChunk {
  sequence: number
  stream: 'stdout' | 'stderr'
  text: string
}
export type CommandWithOutput = DeviceCommand & { output: OutputChunk[] }

/** The command with the output appended; `gap` if output before it is missing and the command has to be read again. */
export function appendOutput(command: CommandWithOutput, event: OutputEvent): CommandWithOutput | 'gap' {
  const last = command.output.at(-1)?.sequence
  if (last !== undefined && event.sequence <= last) return command
  if (event.sequence > (last ?? -1) + 1) return 'gap'
  const { sequence, stream, text } = event
  return { ...command, output: [...command.output, { sequence, stream, text }] }
}
