import { fieldError } from '../../../platform/errors.ts'
import { joined, renamed, requiredText, textOf } from './fields.ts'
import type { StorageProvider } from './provider.ts'

const places = ['appliance', 'device'] as const

/** The store of the appliance, which needs no path; or a folder on the device itself, such as a mounted share. */
export const local: StorageProvider = {
  normalize(details) {
    const location = textOf(details, 'location') ?? (textOf(details, 'path', 'basePath') ? 'device' : 'appliance')
    if (!places.some((place) => place === location)) throw fieldError('details.location', 'Must be appliance or device')
    if (location === 'appliance') return renamed(details, ['path', 'basePath'], { location })
    const path = requiredText(details, 'The path is required', 'path', 'basePath')
    if (!isAbsolute(path)) throw fieldError('details.path', 'Must be an absolute path on the device')
    if (path.split(/[/\\]/).includes('..')) throw fieldError('details.path', 'Must not contain ..')
    return renamed(details, ['basePath'], { location, path })
  },
  target(details, subPath) {
    const path = textOf(details, 'path')
    if (details.location === 'appliance' || !path) return null
    return { url: joined(path.replace(/[/\\]+$/, ''), subPath), env: {}, options: [] }
  },
}

/** On any system: the devices of an organization are of several. */
const isAbsolute = (path: string): boolean => /^(\/|[a-z]:[/\\]|\\\\)/i.test(path)
