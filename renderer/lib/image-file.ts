import { UserFacingError } from './user-facing-error.ts'

/**
 * The image in a file somebody picked; to be closed after use.
 * @throws SpokenError when it is no image, or none of a kind that is taken
 */
export async function decodeImage(file: File, kinds: readonly string[]): Promise<ImageBitmap> {
  if (!kinds.includes(file.type)) throw new UserFacingError('Choose a PNG, JPEG or WebP image.')
  return createImageBitmap(file).catch(() => {
    throw new UserFacingError('This file can not be read as an image.')
  })
}
