import pLimit from 'p-limit'
import sharp from 'sharp'
import { AppError } from '../../../platform/errors.ts'

/** Pixels of a side: enough for screens of high density. */
const side = 256
/** More than cameras take. A small file can declare dimensions that would fill the memory. */
const maxPixels = 50_000_000
/** Of a progressive JPEG, which is decoded as a whole, with up to eight bytes for each pixel. */
const maxProgressive = 12_500_000

// Only these formats are decoded, whatever a file looks like.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['VipsForeignLoadPngBuffer', 'VipsForeignLoadJpegBuffer', 'VipsForeignLoadWebpBuffer'],
})
// The same picture is hardly ever uploaded twice.
sharp.cache(false)
sharp.concurrency(1)

/** One picture at a time, on one thread of Node's pool, so that large ones do not hold up other requests. */
const inTurn = pLimit(1)

export const pictureMime = 'image/webp'

/**
 * The center of a picture as a small upright square, encoded anew, which drops metadata such as place and camera. Of an
 * animation, the first frame.
 * @throws AppError `picture_kind` (415) for content of another format; `picture_too_large`, `picture_broken` (400)
 */
export const squarePicture = (file: Buffer): Promise<Buffer> =>
  inTurn(async () => {
    const { width, height, isProgressive } = await sharp(file, { limitInputPixels: false })
      .metadata()
      .catch((error) => {
        throw new AppError('picture_kind', {}, { cause: error })
      })
    if (width * height > (isProgressive ? maxProgressive : maxPixels)) throw new AppError('picture_too_large')
    return sharp(file, { limitInputPixels: maxPixels })
      .autoOrient()
      .resize(side, side, { fit: 'cover' })
      .webp({ quality: 82 })
      .timeout({ seconds: 10 })
      .toBuffer()
      .catch((error) => {
        throw new AppError('picture_broken', {}, { cause: error })
      })
  })
