import type { RestorePayload } from '../../../shared/device/backup.ts'
import { fieldError } from '../../platform/errors.ts'

export interface TargetWish {
  targetPath: string | undefined
  inPlace: boolean
}

type System = 'windows' | 'macos' | 'linux'

/** Folders whose files a computer needs to work, and all that is in them. */
const ofSystem: Record<System, RegExp> = {
  windows: /^[a-z]:\\?$|^[a-z]:\\(windows|program files|program files \(x86\)|programdata|boot|recovery)(\\|$)/i,
  macos: /^\/$|^\/(system|library|usr|bin|sbin|private|etc|var|dev|cores)(\/|$)/i,
  linux: /^\/$|^\/(bin|boot|dev|etc|lib\w*|proc|run|sbin|sys|usr|var)(\/|$)/,
}

/**
 * Where a restore goes. Nothing named is a folder of its own; `inPlace` allows where the files were, and folders of the
 * system.
 * @throws AppError `validation_failed` that names the field
 */
export function targetOf({ targetPath, inPlace }: TargetWish, osType: string): RestorePayload['target'] {
  const path = targetPath?.trim()
  if (!path) return inPlace ? { to: 'original' } : { to: 'staging' }
  const system: System = osType === 'windows' || osType === 'macos' ? osType : 'linux'
  const isAbsolute = system === 'windows' ? /^([a-z]:[\\/]|\\\\[^\\/]+[\\/])/i.test(path) : path.startsWith('/')
  if (!isAbsolute) throw fieldError('targetPath', 'Must be an absolute path on the device')
  if (path.split(/[/\\]/).includes('..')) throw fieldError('targetPath', 'Must not contain ..')
  const plain = system === 'windows' ? path.replaceAll('/', '\\') : path.replaceAll(/\/+/g, '/')
  if (inPlace) return plain === '/' ? { to: 'original' } : { to: 'folder', path: plain }
  if (ofSystem[system].test(plain.replace(/(?<=.)[/\\]+$/, '')) || ofSystem[system].test(plain))
    throw fieldError('targetPath', 'Belongs to the system; set inPlace to restore there all the same')
  return { to: 'folder', path: plain }
}
