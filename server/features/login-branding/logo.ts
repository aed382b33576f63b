import { disableTypes, imageSize, types } from 'image-size'
import type { logoKinds } from '../../../shared/api/login-branding.ts'
import { fieldError } from '../../platform/errors.ts'

type Kind = (typeof logoKinds)[number]
const typeOf: Record<Kind, string> = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' }

// What nobody may send here is not parsed either.
disableTypes(types.filter((type) => !Object.values(typeOf).includes(type)))

/** The sign-in page shows it a few hundred pixels wide; a browser would unpack every one of them. */
const maxPixels = 4096

/**
 * A logo that is sent along must be the image it says it is; one at an https address is its owner's business.
 * @throws AppError `validation_failed`
 */
export function assertLogo(logoUrl: string): void {
  const [, kind, data] = /^data:([^;]+);base64,(.*)$/.exec(logoUrl) ?? []
  if (!kind || !data) return
  const size = sizeOf(Buffer.from(data, 'base64'))
  if (size?.type !== typeOf[kind as Kind]) throw fieldError('logoUrl', `The data is no image of the type ${kind}`)
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
