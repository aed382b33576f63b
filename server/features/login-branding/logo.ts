import { disableTypes, imageSize, types } from 'image-size'
import type { logoKinds } from '../../../shared/api/login-branding.ts'
import { fieldError } from '../../platform/errors.ts'

/** What `image-size` calls each kind. */
const formats = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
} as const satisfies Record<(typeof logoKinds)[number], string>
const formatOf = new Map<string, string>(Object.entries(formats))

// No parser runs for a format that is not accepted.
disableTypes(types.filter((type) => ![...formatOf.values()].includes(type)))

/** A browser unpacks every pixel of the file, however small the page shows it. */
const maxPixels = 4096

/**
 * A logo in a `data:` URL must be an image of the kind it claims; one at an https address is not looked at.
 * @throws AppError `validation_failed`
 */
export function assertLogo(logoUrl: string): void {
  const [, kind, data] = /^data:([^;]+);base64,(.*)$/.exec(logoUrl) ?? []
  if (!kind || !data) return
  const size = sizeOf(Buffer.from(data, 'base64'))
  if (!size || size.type !== formatOf.get(kind)) throw fieldError('logoUrl', `The data is no image of the type ${kind}`)
  if (!isSane(size.width) || !isSane(size.height))
    throw fieldError('logoUrl', `The image must not be wider or higher than ${maxPixels} pixels`)
}

function sizeOf(bytes: Buffer) {
  try {
    return imageSize(bytes)
  } catch {
    return undefined
  }
}

const isSane = (pixels: number) => pixels >= 1 && pixels <= maxPixels
