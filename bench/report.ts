import { cpus } from 'node:os'
import type { AuditLogReport } from './audit-log.ts'
import type { BackupReport } from './backup.ts'
import type { ChecksReport } from './backup-checks.ts'
import type { BackupIndexReport } from './backup-index.ts'
import type { ReadinessReport } from './backup-readiness.ts'
import type { SlaReport } from './backup-sla.ts'
import type { UploadsReport } from './backup-uploads.ts'
import type { Answer } from './compare.ts'
import type { ConsoleReport } from './console.ts'
import type { ImportReport } from './contact-import.ts'
import { type Curve, sizes } from './flatness.ts'
import type { FleetReport } from './fleet.ts'
import type { MeanwhileReport } from './meanwhile.ts'
import type { PermissionReport } from './permissions.ts'
import { canPin } from './processes.ts'
import type { SignInReport } from './sign-in.ts'
import type { SocketReport } from './sockets.ts'

/** Tables that read well both in a terminal and in Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(...[head, ...rows].map((row) => (row[column] ?? title).length)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [line(head), line(rule), ...rows.map(line)].join('\n')
}

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
export const count = (value: number) => whole.format(value)
export const percent = (share: number) => `${Math.round(share * 100)} %`
export const ms = (value: number) => (value < 10 ? value.toFixed(2) : value.toFixed(1))
const verdict = (value: number, aim: number | undefined) =>
  aim === undefined ? '' : `≥ ${percent(aim)} ${value >= aim ? 'met' : 'MISSED'}`

export const answersTable = (answers: readonly Answer[]): string =>
  table(
    ['', 'requests/s', 'p50 ms', 'p99 ms', 'raw list/s', 'of raw list', 'of constant', 'aim'],
    answers.map(({ name, rate, p50, p99, rawRate, ofRaw, ofConstant, aim }) => [
      name,
      count(rate),
      ms(p50),
      ms(p99),
      count(rawRate),
      percent(ofRaw),
      percent(ofConstant),
      verdict(ofRaw, aim),
    ]),
  )

export const flatnessTable = (curves: readonly Curve[]): string =>
  table(
    ['', ...sizes.map((size) => `${count(size)} ms`), `${count(sizes[3])} : ${count(sizes[0])}`],
    curves.map(({ name, times }) => [name, ...times.map(ms), `${((times[3] ?? 0) / (times[0] ?? 1)).toFixed(2)} ×`]),
  )

const below = (value: number, aim: number, unit: string) => `< ${aim}${unit} ${value < aim ? 'met' : 'MISSED'}`

export const consoleTable = ({ paints, interactions }: ConsoleReport): string =>
  table(
    ['', 'p50 ms', 'slowest ms', 'aim'],
    [...paints.map((one) => ({ ...one, aim: 1000 })), ...interactions.map((one) => ({ ...one, aim: 100 }))].map(
      ({ name, p50, max, aim }) => [name, count(p50), count(max), below(p50, aim, ' ms')],
    ),
  )

export const fleetTable = ({ beats, browser, flips, eventLoop, idleMax, memoryMb }: FleetReport): string =>
  table(
    ['', 'measured', 'aim'],
    [
      ['Heartbeats sent', count(beats.sent), ''],
      ['Heartbeats lost', count(beats.lost), `0 ${beats.lost === 0 ? 'met' : 'MISSED'}`],
      ['Heartbeat p50', `${ms(beats.p50)} ms`, ''],
      ['Heartbeat p99', `${ms(beats.p99)} ms`, below(beats.p99, 50, ' ms')],
      ['Heartbeat slowest', `${ms(beats.max)} ms`, ''],
      ['Browser requests/s', count(browser.rate), ''],
      ['Browser p50', `${ms(browser.p50)} ms`, ''],
      ['Browser p99', `${ms(browser.p99)} ms`, below(browser.p99, 50, ' ms')],
      ['Devices that changed their status', count(flips), ''],
      ['Event loop delay, p99 of the worst second', `${ms(eventLoop.p99)} ms`, ''],
      ['Event loop delay, longest', `${ms(eventLoop.max)} ms`, below(eventLoop.max, 20, ' ms')],
      ['The same of an idle process on that core', `${ms(idleMax)} ms`, ''],
      ['Memory', `${count(memoryMb)} MB`, ''],
    ],
  )

export const importTable = ({ previews, imports, repeats, browser, eventLoopMax, idleMax }: ImportReport): string =>
  table(
    ['1,000 rows of 100 customers', 'measured', 'slowest', 'aim'],
    [
      ['Preview', `${ms(previews.p50)} ms`, `${ms(previews.max)} ms`, ''],
      ['Import, all new', `${ms(imports.p50)} ms`, `${ms(imports.max)} ms`, below(imports.max, 2000, ' ms')],
      ['The same file again', `${ms(repeats.p50)} ms`, `${ms(repeats.max)} ms`, ''],
      ['Device list meanwhile, p50 and p99', `${ms(browser.p50)} ms`, `${ms(browser.p99)} ms`, ''],
      ['Event loop delay, longest', '', `${ms(eventLoopMax)} ms`, below(eventLoopMax, 20, ' ms')],
      ['The same of an idle process on that core', '', `${ms(idleMax)} ms`, ''],
    ],
  )

/** @param beatAim ms that 99 of 100 heartbeats must be faster than */
export const meanwhileTable = (
  what: string,
  { seconds, progressSeen, ...report }: MeanwhileReport,
  beatAim = 100,
): string =>
  table(
    [what, 'measured', 'aim'],
    [
      ['Duration', `${seconds.toFixed(1)} s`, ''],
      ['States of the progress seen on the way', count(progressSeen), `> 2 ${progressSeen > 2 ? 'met' : 'MISSED'}`],
      ['Heartbeats of others', count(report.beats.sent), ''],
      ['Heartbeats lost', count(report.beats.lost), `0 ${report.beats.lost === 0 ? 'met' : 'MISSED'}`],
      ['Heartbeat p50', `${ms(report.beats.p50)} ms`, ''],
      ['Heartbeat p99', `${ms(report.beats.p99)} ms`, below(report.beats.p99, beatAim, ' ms')],
      ['Browser requests', count(report.browser.sent), ''],
      ['Browser p50', `${ms(report.browser.p50)} ms`, ''],
      ['Browser p99', `${ms(report.browser.p99)} ms`, below(report.browser.p99, 100, ' ms')],
      ['Event loop delay, longest', `${ms(report.eventLoop.max)} ms`, below(report.eventLoop.max, 20, ' ms')],
      ['The same of an idle process on that core', `${ms(report.idleMax)} ms`, ''],
    ],
  )

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`

const middle = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

export function backupTable({ files, bytes, first, unchanged }: BackupReport): string {
  const shares = first.bare.map((bare, round) => bare / (first.ours[round] ?? Number.NaN))
  const more = unchanged.ours.map((ours, round) => ours - (unchanged.bare[round] ?? Number.NaN))
  const seconds = (values: number[]) => `${middle(values).toFixed(1)} s`
  const [share, longer] = [middle(shares), middle(more)]
  return table(
    [`${count(files)} files, ${(bytes / 1e9).toFixed(1)} GB`, 'Homeport', 'restic alone', 'share or difference', 'aim'],
    [
      [
        'First backup',
        seconds(first.ours),
        seconds(first.bare),
        percent(share),
        `≥ 85 % ${share >= 0.85 ? 'met' : 'MISSED'}`,
      ],
      [
        'Nothing changed',
        seconds(unchanged.ours),
        seconds(unchanged.bare),
        `${longer.toFixed(1)} s longer`,
        below(longer, 2, ' s'),
      ],
    ],
  )
}

export const checksTable = ({ bytes, runs }: ChecksReport): string =>
  table(
    [
      `A backup of ${(bytes / 1e9).toFixed(1)} GB`,
      'data',
      'duration',
      'rate',
      'event loop delay, longest',
      'of an idle process',
    ],
    runs.map((run) => [
      run.name,
      `${(run.bytes / 1e9).toFixed(1)} GB`,
      `${run.seconds.toFixed(1)} s`,
      `${Math.round(run.bytes / 1e6 / run.seconds)} MB/s`,
      `${ms(run.eventLoopMax)} ms`,
      `${ms(run.idleMax)} ms`,
    ]),
  )

export const uploadsTable = ({ uploaded, memory, ...report }: UploadsReport): string =>
  [
    meanwhileTable('50 agents upload at once', report, 50),
    `${(uploaded / 1e9).toFixed(1)} GB in ${report.seconds.toFixed(1)} s, ` +
      `${Math.round(uploaded / 1e6 / report.seconds)} MB a second; memory of the appliance ` +
      `${megabytes(memory.before)} before, at most ${megabytes(memory.halves[0])} in the first half and ` +
      `${megabytes(memory.halves[1])} in the second.`,
  ].join('\n\n')

export const signInTable = ({ answers, crowd, beats }: SignInReport): string =>
  table(
    ['', 'requests/s', 'p50 ms', 'p99 ms', 'ceiling/s', 'of the ceiling', 'aim'],
    answers.map(({ name, rate, p50, p99, rawRate, ofRaw, aim }) => [
      name,
      rate < 100 ? rate.toFixed(1) : count(rate),
      ms(p50),
      ms(p99),
      rawRate < 100 ? rawRate.toFixed(1) : count(rawRate),
      percent(ofRaw),
      verdict(ofRaw, aim),
    ]),
  ).concat(
    `\n\n${table(
      [`${count(crowd)} people signing in at once`, 'measured', 'aim'],
      [
        ['Heartbeats lost', count(beats.lost), `0 ${beats.lost === 0 ? 'met' : 'MISSED'}`],
        ['Heartbeat p50', `${ms(beats.p50)} ms`, ''],
        ['Heartbeat p99', `${ms(beats.p99)} ms`, below(beats.p99, 50, ' ms')],
      ],
    )}`,
  )

export const permissionTable = ({ checked, undisturbed, afterChange }: PermissionReport): string =>
  table(
    ['', 'requests/s, profiled', 'asking who may', 'aim'],
    checked.map(({ name, rate, share, aim }) => [
      name,
      count(rate),
      `${(share * 100).toFixed(1)} %`,
      aim === undefined ? '' : below(share * 100, aim * 100, ' %'),
    ]),
  ).concat(
    `\n\nOne request after the other takes ${ms(undisturbed)} ms, the first after a change of any role ${ms(afterChange)} ms.`,
  )

export const socketsTable = (report: SocketReport): string =>
  table(
    ['', 'p50 ms', 'p99 ms'],
    [
      ['Command: from the click to the device', ms(report.delivered.p50), ms(report.delivered.p99)],
      ['Command: until its result is kept', ms(report.finished.p50), ms(report.finished.p99)],
    ],
  ).concat(
    `\n\n${count(report.commands)} commands, with ${count(report.open)} sockets open, which took ${(report.openedIn / 1000).toFixed(1)} s to open.`,
  )

export const auditLogTable = ({ pages, event, export: taken, check, idleMax }: AuditLogReport): string =>
  [
    table(
      ['50 of 1,000,000 events', 'first time', 'p50', 'aim'],
      pages.map(({ name, first, p50, isLong, hasAim }) => [
        name,
        `${ms(first)} ms`,
        `${ms(p50)} ms`,
        hasAim ? below(isLong ? p50 : Math.max(first, p50), 50, ' ms') : '',
      ]),
    ),
    table(
      ['', 'export as CSV', 'check of the chains', 'aim'],
      [
        ['Duration', `${taken.seconds.toFixed(1)} s`, `${check.seconds.toFixed(1)} s`, ''],
        ['Size', `${count(taken.megabytes)} MB`, '', ''],
        ['Memory, growth on the way', `${ms(taken.growthMb)} MB`, '', below(taken.growthMb, 50, ' MB')],
        ['Device list meanwhile, p50', `${ms(taken.browser.p50)} ms`, `${ms(check.browser.p50)} ms`, ''],
        [
          'Device list meanwhile, p99',
          `${ms(taken.browser.p99)} ms`,
          `${ms(check.browser.p99)} ms`,
          below(Math.max(taken.browser.p99, check.browser.p99), 100, ' ms'),
        ],
        [
          'Event loop delay, longest',
          `${ms(taken.eventLoopMax)} ms`,
          `${ms(check.eventLoopMax)} ms`,
          below(Math.max(taken.eventLoopMax, check.eventLoopMax), 20, ' ms'),
        ],
        ['The same of an idle process on that core', `${ms(idleMax)} ms`, '', ''],
      ],
    ),
    `An event costs the write it belongs to ${event.ms.toFixed(3)} ms; a change of a device takes ${ms(event.write.p50)} ms, ` +
      `${percent(event.ms / event.write.p50)} of it.`,
  ].join('\n\n')

export const backupIndexTable = ({ stored, questions, others, walked, ...report }: BackupIndexReport): string =>
  [
    table(
      ['1,000,000 files', 'stored in', 'listing', 'more on disk'],
      stored.map(({ name, seconds, listingMb, addedMb }) => [
        name,
        `${seconds.toFixed(1)} s`,
        `${ms(listingMb)} MB`,
        `${ms(addedMb)} MB`,
      ]),
    ),
    table(
      ['Asked of these three snapshots', 'first time', 'p50', 'aim'],
      questions.map(({ name, first, p50, hasAim }) => [
        name,
        `${ms(first)} ms`,
        `${ms(p50)} ms`,
        hasAim ? below(Math.max(first, p50), 100, ' ms') : '',
      ]),
    ),
    table(
      ['', 'measured', 'aim'],
      [
        ['Page of another device while these are stored, p50', `${ms(others.p50)} ms`, ''],
        ['Page of another device while these are stored, p99', `${ms(others.p99)} ms`, below(others.p99, 100, ' ms')],
        ['Everything below the top, for a zip file', `${count(walked.entries / walked.seconds)} entries/s`, ''],
        ['Removal of the first snapshot', `${report.removal.toFixed(1)} s`, ''],
        ['Event loop delay, longest', `${ms(report.eventLoopMax)} ms`, below(report.eventLoopMax, 20, ' ms')],
        ['The same of this process when idle', `${ms(report.idleMax)} ms`, ''],
        ['Memory', `${count(report.memoryMb)} MB`, ''],
      ],
    ),
  ].join('\n\n')

export const readinessTable = ({ devices, runs, eventLoopMax }: ReadinessReport): string =>
  table(
    [`Readiness of ${count(devices)} devices`, 'measured', 'aim'],
    [
      ...runs.map(({ name, cpuMs }) => [name, `${(cpuMs / 1000).toFixed(2)} s of CPU`, '']),
      ['Event loop delay, longest', `${ms(eventLoopMax)} ms`, below(eventLoopMax, 20, ' ms')],
    ],
  )

export const slaTable = ({ devices, runs, eventLoopMax }: SlaReport): string =>
  table(
    [`An SLA for ${count(devices)} devices`, 'CPU of a check', 'CPU in an hour', 'aim'],
    [
      ...runs.map(({ name, cpuMs, perHour }) => [
        name,
        `${ms(cpuMs)} ms`,
        perHour === null ? '' : `${((cpuMs * perHour) / 1000).toFixed(2)} s`,
        perHour === null ? '' : below((cpuMs * perHour) / 1000, 1, ' s'),
      ]),
      ['Event loop delay, longest', `${ms(eventLoopMax)} ms`, '', below(eventLoopMax, 20, ' ms')],
    ],
  )

export const machine = (): string =>
  `${new Date().toISOString().slice(0, 10)}, ${cpus()[0]?.model.trim()}, ${cpus().length} cores, Node ${process.version}` +
  (canPin ? '; servers on the first core, load on the second' : '; not pinned to cores')
