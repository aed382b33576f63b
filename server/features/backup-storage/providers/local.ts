import { fieldError } from '../../../platform/errors.ts'
import { requiredText, textOf, withValues } from './fields.ts'
import type { StorageProvider } from './provider.ts'

const places = ['appliance', 'device'] as const

/** The store of the appliance, which needs no path; or a folder on the device itself, such as a mounted share. */
export const local: StorageProvider = {
  aliases: { basePath: 'path' },
  normalize(details) {
    const location = textOf(details, 'location') ?? (textOf(details, 'path') ? 'device' : 'appliance')
    if (!places.some((place) => place === location)) throw fieldError('details.location', 'Must be appliance or device')
    if (location === 'appliance') return withValues(details, { path: undefined, location })
    const path = requiredText(details, 'The path is required', 'path')
    if (!isAbsolute(path)) throw fieldError('details.path', 'Must be an absolute path on the device')
    if (path.split(/[/\\]/).includes('..')) throw fieldError('details.path', 'Must not contain ..')
    return withValues(details, { location, path })
  },
  receiver: () => '',
  target(details, subPath) {
    const path = textOf(details, 'path')
    if (details.location === 'appliance' || !path) return null
    return { url: `${path.replace(/[/\\]+$/, '')}/${subPath}`, env: {}, options: [] }
  },
}

/** On any system: the devices of an organization are of several. */
const isAbsolute = (path: string): boolean => /^(\/|[a-z]:[/\\]|\\\\)/i.test(path)
