/** A test for texts that contain every word of the search, in any order and case; without words, every text passes. */
export function wordSearch(search = ''): (text: string) => boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return (text) => {
    const lowered = text.toLowerCase()
    return words.every((word) => lowered.includes(word))
  }
}
