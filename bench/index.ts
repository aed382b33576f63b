import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureAuditLog, prepareAuditLog } from './audit-log.ts'
import { measureBackup } from './backup.ts'
import { measureChecks } from './backup-checks.ts'
import { measureBackupIndex } from './backup-index.ts'
import { measureReadiness } from './backup-readiness.ts'
import { measureSla } from './backup-sla.ts'
import { measureUploads, prepareUploads } from './backup-uploads.ts'
import { closingEnv, measureClosing, measureDeletion, prepareClosing, prepareDeletion } from './closing.ts'
import { measureConsole } from './console.ts'
import { measureImport } from './contact-import.ts'
import { measureFlatness } from './flatness.ts'
import { measureFleet, prepareFleet } from './fleet.ts'
import { measureDevices } from './heartbeats.ts'
import { measureLists } from './lists.ts'
import { measureMerge, mergeEnv, prepareMerge } from './merge.ts'
import { measurePermissions } from './permissions.ts'
import { pinSelf } from './processes.ts'
import { writeReadme } from './readme.ts'
import {
  answersTable,
  auditLogTable,
  backupIndexTable,
  backupTable,
  checksTable,
  consoleTable,
  flatnessTable,
  fleetTable,
  importTable,
  machine,
  meanwhileTable,
  permissionTable,
  readinessTable,
  signInTable,
  slaTable,
  socketsTable,
  uploadsTable,
} from './report.ts'
import { measureSignIn } from './sign-in.ts'
import { measureSockets } from './sockets.ts'
import { createWorld } from './world.ts'

/** `npm run bench`, or `npm run bench -- lists fleet` for some of it; `--write` puts the tables into README.md. */

const say = (text: string) => process.stdout.write(`${text}\n`)

const sections: Record<string, (folder: string) => Promise<string>> = {
  lists: async (folder) => {
    await using world = await createWorld(folder)
    return answersTable(await measureLists(world))
  },
  heartbeats: async (folder) => {
    await using world = await createWorld(folder)
    return answersTable(await measureDevices(world))
  },
  'sign-in': async (folder) => {
    await using world = await createWorld(folder, prepareFleet)
    return signInTable(await measureSignIn(world))
  },
  permissions: async (folder) => permissionTable(await measurePermissions(folder)),
  flatness: async (folder) => flatnessTable(await measureFlatness(folder)),
  fleet: async (folder) => {
    await using world = await createWorld(folder, prepareFleet)
    return fleetTable(await measureFleet(world))
  },
  merge: async (folder) => {
    await using world = await createWorld(folder, prepareMerge, mergeEnv)
    return meanwhileTable('10,000 devices and 1,000 contacts', await measureMerge(world))
  },
  closing: async (folder) => {
    await using world = await createWorld(folder, prepareClosing, closingEnv)
    return meanwhileTable('10,000 devices', await measureClosing(world))
  },
  deletion: async (folder) => {
    await using world = await createWorld(folder, prepareDeletion, closingEnv)
    return meanwhileTable('10,000 devices, 100 of them with a day of metrics', await measureDeletion(world))
  },
  import: async (folder) => {
    await using world = await createWorld(folder)
    return importTable(await measureImport(world))
  },
  'audit-log': async (folder) => {
    await using world = await createWorld(folder, prepareAuditLog)
    return auditLogTable(await measureAuditLog(world))
  },
  backup: async (folder) => {
    await using world = await createWorld(folder, undefined, undefined, { isPinned: false })
    return backupTable(await measureBackup(world, folder))
  },
  'backup-checks': async (folder) => {
    await using world = await createWorld(folder, undefined, undefined, { isPinned: false })
    return checksTable(await measureChecks(world, folder))
  },
  'backup-uploads': async (folder) => {
    await using world = await createWorld(folder, prepareUploads)
    return uploadsTable(await measureUploads(world))
  },
  'backup-index': async (folder) => backupIndexTable(await measureBackupIndex(folder)),
  'backup-readiness': async (folder) => readinessTable(await measureReadiness(folder)),
  'backup-sla': async (folder) => slaTable(await measureSla(folder)),
  sockets: async (folder) => {
    await using world = await createWorld(folder)
    return socketsTable(await measureSockets(world))
  },
  console: async (folder) => {
    await using world = await createWorld(folder)
    return consoleTable(await measureConsole(world))
  },
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { write: { type: 'boolean' } } })
  const names = positionals.length > 0 ? positionals : Object.keys(sections)
  pinSelf()
  const folder = mkdtempSync(join(tmpdir(), 'homeport-bench-'))
  const tables = new Map<string, string>()
  try {
    say(machine())
    for (const name of names) {
      const section = sections[name]
      if (!section) throw new Error(`there is no section "${name}", only ${Object.keys(sections).join(', ')}`)
      mkdirSync(join(folder, name))
      const text = await section(join(folder, name))
      tables.set(name, text)
      say(`\n${name}\n${text}`)
    }
    if (values.write) writeReadme(tables)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

await main()
