import { UserFacingError } from './user-facing-error.ts'

/** Decodes a chosen image; the caller closes it. @throws UserFacingError if it is no image of a supported type */
export async function decodeImage(file: File, kinds: readonly string[]): Promise<ImageBitmap> {
  if (!kinds.includes(file.type)) throw new UserFacingError('Choose a PNG, JPEG or WebP image.')
  return createImageBitmap(file).catch(() => {
    throw new UserFacingError('This file can’t be read as an image.')
  })
}
