import { expect, test } from 'vitest'
import { contrastRatio, readableTextColor } from './contrast.ts'

test('contrast is measured as WCAG does', () => {
  expect(contrastRatio('#000000', '#ffffff')).toBeCloseTo(21)
  expect(contrastRatio('#ffffff', '#000000')).toBeCloseTo(21)
  expect(contrastRatio('#767676', '#ffffff')).toBeCloseTo(4.54, 2)
  expect(contrastRatio('#1a2b3c', '#1a2b3c')).toBe(1)
})

test('text can be read on any colour', () => {
  expect(readableTextColor('#ffe600')).toBe('#000000')
  expect(readableTextColor('#123f60')).toBe('#ffffff')
  const steps = ['00', '33', '55', '77', '99', 'bb', 'dd', 'ff']
  const colours = steps.flatMap((red) => steps.flatMap((green) => steps.map((blue) => `#${red}${green}${blue}`)))
  expect(colours.filter((colour) => contrastRatio(colour, readableTextColor(colour)) < 4.5)).toEqual([])
})
