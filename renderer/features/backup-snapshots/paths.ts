/** Paths as snapshots show them: `/home/ada`, `C:/Users/Ada`; `/` is above both. */

export const top = '/'

interface Crumb {
  name: string
  path: string
}

/** The folders from the top, which is left out, to the path itself. */
export function crumbsOf(path: string): Crumb[] {
  const names = path.split('/').filter(Boolean)
  const hasDrive = !path.startsWith('/')
  return names.map((name, at) => {
    const joined = names.slice(0, at + 1).join('/')
    if (!hasDrive) return { name, path: `/${joined}` }
    return { name, path: at === 0 ? `${joined}/` : joined }
  })
}

/** The folder that a path is in; of the top, the top. */
export const parentOf = (path: string): string => crumbsOf(path).at(-2)?.path ?? top

export const nameOf = (path: string): string => crumbsOf(path).at(-1)?.name ?? path
