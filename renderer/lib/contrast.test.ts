import { expect, test } from 'vitest'
import { contrast, textOn } from './contrast.ts'

test('contrast is measured as WCAG does', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21)
  expect(contrast('#ffffff', '#000000')).toBeCloseTo(21)
  expect(contrast('#767676', '#ffffff')).toBeCloseTo(4.54, 2)
  expect(contrast('#1a2b3c', '#1a2b3c')).toBe(1)
})

test('text can be read on any colour', () => {
  expect(textOn('#ffe600')).toBe('#000000')
  expect(textOn('#123f60')).toBe('#ffffff')
  const steps = ['00', '33', '55', '77', '99', 'bb', 'dd', 'ff']
  const colours = steps.flatMap((red) => steps.flatMap((green) => steps.map((blue) => `#${red}${green}${blue}`)))
  expect(colours.filter((colour) => contrast(colour, textOn(colour)) < 4.5)).toEqual([])
})
