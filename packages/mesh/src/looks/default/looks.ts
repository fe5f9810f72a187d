const PLANKS = "planks";

/** Which textures and models our pack uses. */
export const DEFAULT_LOOKS: object = {
  textures: {
    stone: scattered("stone", 3),
    soil: scattered("soil", 3),
    grass: scattered("grass", 4),
    "grass side": { picture: ["grass-side", "grass-side-2"] },
    // Ripples run one way.
    sand: { picture: ["sand", "sand-2", "sand-3"] },
    leaves: scattered("leaves", 3),
    snow: scattered("snow", 2),
    cobble: scattered("cobble", 2),
    gravel: scattered("gravel", 2),
    clay: scattered("clay", 2),
  },
  blocks: {
    ...named("stone", "rock").as("stone"),
    ...named("soil", "dirt").as("soil"),
    ...named("grass", "turf").as({ top: "grass", side: "grass side", bottom: "soil" }),
    sand: "sand",
    ...named("water", "water 1", "water 2", "water 3", "water 4", "water 5").as({
      texture: "water",
      liquid: true,
    }),
    ...named("wood", "log", "oak log").as({ end: "log-end", side: "log" }),
    leaves: "leaves",
    "coal ore": "coal-ore",
    "iron ore": "iron-ore",
    "gold ore": "gold-ore",
    ...named("brick", "bricks").as("brick"),
    ...named("glass").as({ texture: "glass", joins: true }),
    lamp: { texture: "lamp", glow: true },
    snow: "snow",
    lava: { texture: "lava", glow: true, liquid: true },
    ...named("plank", "planks").as(PLANKS),
    ...named("cobble", "cobblestone").as("cobble"),
    gravel: "gravel",
    clay: "clay",
    ice: "ice",
    copper: "copper",
    chest: { texture: "chest-side", front: "chest-front" },
    furnace: {
      texture: "furnace-side",
      front: "furnace-front",
      when: { "lit=true": { front: "furnace-lit" } },
    },
    torch: { model: "torch", texture: "torch", glow: true },
    ladder: { model: "ladder", texture: "ladder" },
    door: { model: "door", texture: "door-lower", when: { "half=upper": "door-upper" } },
    "tall grass": { model: "cross", texture: "tall-grass" },
    ...named("flower", "red flower", "poppy").as({ model: "cross", texture: "flower-red" }),
    ...named("yellow flower", "dandelion").as({ model: "cross", texture: "flower-yellow" }),
    ...named("stairs", "wooden stairs", "oak stairs").as({ model: "stairs", texture: PLANKS }),
    ...named("slab", "wooden slab", "oak slab").as({ model: "slab", texture: PLANKS }),
    ...named("fence", "wooden fence", "oak fence").as({ model: "fence", texture: PLANKS }),
    "stone stairs": { model: "stairs", texture: "stone" },
    "stone slab": { model: "slab", texture: "stone" },
    "brick stairs": { model: "stairs", texture: "brick" },
    "brick slab": { model: "slab", texture: "brick" },
    "glass pane": { model: "pane", texture: "glass", joins: true },
    "snow layer": { model: "carpet", texture: "snow" },
  },
};

function scattered(name: string, variants: number): object {
  const others = Array.from({ length: variants - 1 }, (_, index) => `${name}-${index + 2}`);
  return { picture: [name, ...others], scatter: true };
}

function named(...names: readonly string[]): { as(look: object | string): object } {
  return { as: (look) => Object.fromEntries(names.map((name) => [name, look])) };
}
