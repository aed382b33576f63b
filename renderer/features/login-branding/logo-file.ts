import { logoKinds } from '../../../shared/api/login-branding.ts'
import { toDataUri } from '../../lib/data-uri.ts'
import { decodeImage } from '../../lib/image-file.ts'
import { UserFacingError } from '../../lib/user-facing-error.ts'

/** Limits of the API: characters of the data URI, and pixels of a side. */
const maxCharacters = 400_000
const maxSide = 4096
/** Sharp on any screen at the size it is shown. */
const firstSide = 1024

/**
 * The data URI of a chosen image, scaled down to the limits of the API. @throws UserFacingError if it is no image of
 * a supported type
 */
export async function logoFromFile(file: File): Promise<string> {
  const image = await decodeImage(file, logoKinds)
  try {
    const asItIs = image.width <= maxSide && image.height <= maxSide ? await toDataUri(file) : null
    if (asItIs && asItIs.length <= maxCharacters) return asItIs
    for (let side = firstSide; side >= 64; side *= 0.75) {
      const smaller = await toDataUri(await scaled(image, side, file.type))
      if (smaller.length <= maxCharacters) return smaller
    }
    throw new UserFacingError('This image is too large. Choose a simpler one.')
  } finally {
    image.close()
  }
}

async function scaled(image: ImageBitmap, side: number, type: string): Promise<Blob> {
  const scale = Math.min(1, side / Math.max(image.width, image.height))
  const canvas = new OffscreenCanvas(
    Math.max(1, Math.round(image.width * scale)),
    Math.max(1, Math.round(image.height * scale)),
  )
  const context = canvas.getContext('2d')
  if (!context) throw new UserFacingError('This browser can’t make the image smaller. Choose one below 300 KB.')
  context.imageSmoothingQuality = 'high'
  context.drawImage(image, 0, 0, canvas.width, canvas.height)
  return canvas.convertToBlob({ type, quality: 0.9 })
}
