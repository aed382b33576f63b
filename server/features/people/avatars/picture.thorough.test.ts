import sharp from 'sharp'
import { expect, test } from 'vitest'
import { squarePicture } from './picture.ts'

const plain = (side: number) =>
  sharp({ create: { width: side, height: side, channels: 3, background: '#c04020' } }).toColourspace('rgb16')

test('a progressive picture of 16 megapixels is refused as picture_too_large, a non-progressive one is accepted', async () => {
  for (const progressive of [
    await plain(4000).png({ progressive: true }).toBuffer(),
    await plain(4000).jpeg({ progressive: true }).toBuffer(),
  ])
    await expect(squarePicture(progressive)).rejects.toMatchObject({ code: 'picture_too_large' })
  expect(await squarePicture(await plain(4000).png().toBuffer())).toBeInstanceOf(Buffer)
  expect(await squarePicture(await plain(3000).png({ progressive: true }).toBuffer())).toBeInstanceOf(Buffer)
})
