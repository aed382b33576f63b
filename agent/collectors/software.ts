import type { InstalledSoftware } from '../../shared/device/inventory.ts'
import { run } from '../tool.ts'
import { parseApk, parseDpkg, parsePacman, parseRpm } from './linux-packages.ts'
import { parseMacApplications } from './mac-applications.ts'
import { parseUninstallKeys, readUninstallKeys } from './windows-programs.ts'

/** How to ask each Linux package manager; a machine may have several, and one of another family with nothing in it. */
const linuxManagers: { file: string; args: string[]; parse: (output: string) => InstalledSoftware[] }[] = [
  {
    file: 'dpkg-query',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query's own placeholders
    args: ['-W', '-f', '${db:Status-Status}\\t${Package}\\t${Version}\\t${Maintainer}\\n'],
    parse: parseDpkg,
  },
  {
    file: 'rpm',
    args: ['-qa', '--qf', '%{NAME}\\t%{VERSION}-%{RELEASE}\\t%{VENDOR}\\t%{INSTALLTIME}\\n'],
    parse: parseRpm,
  },
  { file: 'apk', args: ['info', '-v'], parse: parseApk },
  { file: 'pacman', args: ['-Q'], parse: parsePacman },
]

const maxListed = 10_000

export async function readSoftware(): Promise<InstalledSoftware[]> {
  const found = await readPlatform()
  return found.filter(({ name }) => name).slice(0, maxListed)
}

async function readPlatform(): Promise<InstalledSoftware[]> {
  if (process.platform === 'win32') return parseUninstallKeys(await readUninstallKeys())
  if (process.platform === 'darwin') {
    return parseMacApplications(
      await run('system_profiler', ['SPApplicationsDataType', '-json'], { timeoutMs: 180_000 }),
    )
  }
  const lists = await Promise.all(
    linuxManagers.map(({ file, args, parse }) => run(file, args).then(parse, unlessMissing)),
  )
  return lists.flat()
}

function unlessMissing(error: NodeJS.ErrnoException): InstalledSoftware[] {
  if (error.code === 'ENOENT') return []
  throw error
}
