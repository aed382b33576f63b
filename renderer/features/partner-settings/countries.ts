/** Regions without postal addresses. */
const noPlaces = new Set(['EU', 'EZ', 'QO', 'UN', 'XA', 'XB', 'ZZ'])
const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index))

/** Every country that the browser has a name for, without superseded codes. */
export function countries(): { value: string; label: string }[] {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  return letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((code) => !noPlaces.has(code) && new Intl.Locale(`und-${code}`).region === code)
    .flatMap((code) => {
      const label = names.of(code)
      return label ? [{ value: code, label }] : []
    })
    .sort((one, other) => one.label.localeCompare(other.label, 'en'))
}
