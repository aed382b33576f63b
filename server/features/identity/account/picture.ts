import pLimit from 'p-limit'
import sharp from 'sharp'
import { AppError } from '../../../platform/errors.ts'

/** Pixels of a side, for the sharpest screens. */
const side = 256
/** More than a camera takes. A file of a few kilobytes may claim to be as large as a town. */
const maxPixels = 50_000_000
/** Of one that comes into view all over at once, which has to be unpacked as a whole: up to eight bytes for each. */
const maxProgressive = 12_500_000

// Nothing but these is ever parsed, whatever a file looks like or is called.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['VipsForeignLoadPngBuffer', 'VipsForeignLoadJpegBuffer', 'VipsForeignLoadWebpBuffer'],
})
// Nobody uploads the same picture twice.
sharp.cache(false)
sharp.concurrency(1)

/** One after the other, on one thread of Node's pool: a crowd of large ones must not keep others from theirs. */
const inTurn = pLimit(1)

export const pictureMime = 'image/webp'

/**
 * The middle of a picture, upright, small and made anew: what else was in the file, its place and its camera, stays
 * behind. Of one that moves, the first frame. 415 for what is no picture by its content, 400 for one that is broken or
 * has too many pixels.
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
