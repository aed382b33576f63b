import { avatarKinds } from '../../../shared/api/avatars.ts'
import { decodeImage } from '../../lib/image-file.ts'
import { UserFacingError } from '../../lib/user-facing-error.ts'

/** In pixels; the server makes it smaller still. */
const side = 512

/**
 * The center of a chosen image, square, upright and scaled down. @throws UserFacingError if it is no image of a
 * supported type
 */
export async function pictureFromFile(file: File): Promise<Blob> {
  const image = await decodeImage(file, avatarKinds)
  try {
    const canvas = new OffscreenCanvas(side, side)
    const context = canvas.getContext('2d')
    if (!context) throw new UserFacingError('This browser can’t make the image smaller.')
    const edge = Math.min(image.width, image.height)
    const [left, top] = [(image.width - edge) / 2, (image.height - edge) / 2]
    context.imageSmoothingQuality = 'high'
    context.drawImage(image, left, top, edge, edge, 0, 0, side, side)
    return await canvas.convertToBlob({ type: 'image/png' })
  } finally {
    image.close()
  }
}
