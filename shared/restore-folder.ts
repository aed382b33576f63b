/** Whether a restore may go to a folder of a device; the server refuses what the console warns of. */

/** Folders whose files a computer needs to work, and all that is in them. */
const ofSystem = {
  windows: /^[a-z]:\\?$|^[a-z]:\\(windows|program files|program files \(x86\)|programdata|boot|recovery)(\\|$)/i,
  macos: /^\/$|^\/(system|library|usr|bin|sbin|private|etc|var|dev|cores)(\/|$)/i,
  linux: /^\/$|^\/(bin|boot|dev|etc|lib\w*|proc|run|sbin|sys|usr|var)(\/|$)/,
}

export type FolderProblem = 'relative' | 'parent' | 'system'

const systemOf = (osType: string) => (osType === 'windows' || osType === 'macos' ? osType : 'linux')

/** As the system writes it: one kind of slash, and each once. */
export const plainFolder = (path: string, osType: string): string =>
  osType === 'windows' ? path.replaceAll('/', '\\') : path.replaceAll(/\/+/g, '/')

export const isAbsolutePath = (path: string, osType: string): boolean =>
  osType === 'windows' ? /^([a-z]:[\\/]|\\\\[^\\/]+[\\/])/i.test(path) : path.startsWith('/')

/** What speaks against a folder; null where nothing does. */
export function folderProblem(path: string, osType: string): FolderProblem | null {
  if (!isAbsolutePath(path, osType)) return 'relative'
  if (path.split(/[/\\]/).includes('..')) return 'parent'
  const plain = plainFolder(path, osType)
  const pattern = ofSystem[systemOf(osType)]
  return pattern.test(plain) || pattern.test(plain.replace(/(?<=.)[/\\]+$/, '')) ? 'system' : null
}
